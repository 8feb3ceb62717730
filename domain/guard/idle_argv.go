package guard

import (
	"path"
	"slices"
	"strings"
)

// A shellLine is what the executable and the arguments of a process say of a shell.
type shellLine struct {
	shell      Shell
	name       string // of the program, for messages
	command    bool   // -c
	script     string // first operand, unless -s
	restricted bool
	noEditing  bool
	edits      bool // it has a line editor of its own, and that is not switched off
}

// An executable is a base name and the family it belongs to.
type executable struct {
	name  string
	shell Shell
}

// executables are the base names of the shells' executables, possibly followed by "-" or "." and a version or a build
// (zsh-5.9, bash-static).
var executables = []executable{
	{"bash", Bash},
	{"zsh", Zsh},
	{"dash", Dash},
	{"mksh", Mksh},
	{"lksh", Mksh},
	{"busybox", Busybox},
	{"fish", Fish},
	{"ksh93", Ksh},
	{"ksh", Ksh},
}

// parseShell reads the command line of a shell. If the executable is none, it only names the program.
func parseShell(base string, argv []string) (shellLine, bool) {
	line := shellLine{name: base}
	found := slices.IndexFunc(executables, func(e executable) bool {
		rest, ok := strings.CutPrefix(base, e.name)
		return ok && (rest == "" || rest[0] == '-' || rest[0] == '.')
	})
	if found < 0 {
		return line, false
	}
	line.shell, line.name = executables[found].shell, executables[found].name
	if len(argv) == 0 {
		argv = []string{base}
	}
	called, arguments := path.Base(strings.TrimPrefix(argv[0], "-")), argv[1:] // a login shell's name begins with "-"
	if line.shell == Busybox {
		if strings.HasPrefix(called, "busybox") && len(arguments) > 0 {
			called, arguments = arguments[0], arguments[1:]
		}
		if called != "sh" && called != "ash" {
			line.name = called
			return line, false
		}
		line.name = "busybox " + called
	}
	line.edits = line.shell != Dash
	unrestricted, restricted := strings.CutPrefix(called, "r") // rbash, rksh, rzsh
	line.restricted = restricted && slices.ContainsFunc(executables, func(e executable) bool { return e.name == unrestricted })
	line.read(arguments)
	line.edits = line.edits && !line.noEditing
	return line, true
}

// operands are the options that take the next argument: letters for all shells, more letters and long names for some. Source: their
// manual pages.
var (
	operandLetters = map[Shell]string{Bash: "oO", Zsh: "o", Dash: "o", Mksh: "oT", Busybox: "o", Fish: "Cdofp", Ksh: "oR"}
	operandWords   = map[Shell][]string{
		Bash: {"rcfile", "init-file"},
		Zsh:  {"emulate"},
		Fish: {"init-command", "debug", "debug-output", "features", "profile", "profile-startup"},
	}
)

// read goes through the arguments as the shell does: options first, of which some take an operand, then the script.
func (l *shellLine) read(arguments []string) {
	fromInput := false
	for len(arguments) > 0 {
		argument := arguments[0]
		word, long := strings.CutPrefix(argument, "--")
		switch {
		case argument == "-" || argument == "--":
			arguments = arguments[1:]
			if len(arguments) > 0 && !fromInput {
				l.script = arguments[0]
			}
			return
		case long:
			arguments = arguments[1:]
			l.command = l.command || l.shell == Fish && (word == "command" || strings.HasPrefix(word, "command="))
			l.restricted = l.restricted || word == "restricted"
			l.noEditing = l.noEditing || word == "noediting"
			if slices.Contains(operandWords[l.shell], word) {
				arguments = arguments[min(1, len(arguments)):]
			}
		case argument != "" && (argument[0] == '-' || argument[0] == '+'):
			arguments = arguments[1:]
			set := argument[0] == '-'
			for _, letter := range argument[1:] {
				if strings.ContainsRune(operandLetters[l.shell], letter) {
					arguments = arguments[min(1, len(arguments)):]
				}
				l.command = l.command || set && letter == 'c'
				l.restricted = l.restricted || set && letter == 'r' && l.shell != Dash && l.shell != Busybox && l.shell != Fish
				fromInput = fromInput || set && letter == 's'
			}
		default:
			if !fromInput {
				l.script = argument
			}
			return
		}
	}
}
