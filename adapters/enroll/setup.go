package enroll

import (
	_ "embed"
	"strings"

	"github.com/samber/lo"
)

//go:embed setup.zsh
var setup string

// stub is the one line that a person sources. The backslash beats an alias, and the options of the person's shell do not count in what it reads.
const stub = `\builtin emulate -R zsh -o no_aliases -c "builtin source '@DIR@/enroll'"` + "\n"

// texts are the files that the shell sources: name to text.
func texts(dir, token, enrollment string, helper []string) map[string]string {
	fill := strings.NewReplacer(
		"@DIR@", dir, "@TOKEN@", token, "@NAME@", "_libtmux_mcp_"+enrollment,
		"@HELPER@", strings.Join(lo.Map(helper, func(word string, _ int) string { return quoted(word) }), " "),
	)
	return map[string]string{fileSetup: fill.Replace(stub), fileEnroll: fill.Replace(setup)}
}

// quoted is a word as a shell reads it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
