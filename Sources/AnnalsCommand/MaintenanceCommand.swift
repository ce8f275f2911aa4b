public enum CommandPlaceholder {}
