package grammar

import "strings"

// Signal signals a channel.
func Signal(channel string) []string { return []string{"wait-for", "-S", "--", channel} }

// Wait waits for a signal on a channel.
func Wait(channel string) []string { return []string{"wait-for", "--", channel} }

// EmptyFormat tells whether the server has no session, and so is about to end.
const EmptyFormat = "#{exit-empty} #{S:.}"

// Ends reads what EmptyFormat expanded to.
func Ends(empty string) bool {
	exits, sessions, _ := strings.Cut(empty, " ")
	return sessions == "" && exits != "0" && exits != "off"
}

// Argv are commands as the arguments of one tmux process. A semicolon at the end of an argument would separate commands.
func Argv[C ~[]string](commands ...C) []string {
	var argv []string
	for i, command := range commands {
		if i > 0 {
			argv = append(argv, ";")
		}
		for _, argument := range command {
			if rest, found := strings.CutSuffix(argument, ";"); found {
				argument = rest + `\;`
			}
			argv = append(argv, argument)
		}
	}
	return argv
}
