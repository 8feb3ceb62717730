package grammar

import "regexp"

// Hold is a command that fails, and so drops the rest of its list, unless a format expands to what is wanted. Its error then
// holds, between two marks, what it expanded to. show-options expands its argument as a format and fails on a name that is no
// option, which it prints.
func Hold(target, format, want, mark string) []string {
	condition := "#{==:" + Operand(want) + "," + format + "}"
	return []string{"show-options", "-s", "-t", target, "#{?" + condition + ",escape-time," + mark + format + mark + "}"}
}

var (
	held      = regexp.MustCompile(`(?m)^escape-time `)
	emptyName = regexp.MustCompile(`(?m)^ambiguous option: ?$`)
)

// Held reports whether the output of a Hold says that its format expanded to what is wanted.
func Held(words string) bool { return held.MatchString(words) }

// GivenUp reports whether the error of a Hold says that tmux gave up its format, which is then empty.
func GivenUp(words string) bool { return emptyName.MatchString(words) }
