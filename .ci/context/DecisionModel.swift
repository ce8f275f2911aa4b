// from School
