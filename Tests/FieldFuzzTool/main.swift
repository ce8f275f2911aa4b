import FieldFuzz

FieldFuzz.main()
