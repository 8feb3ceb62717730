package fake_test

import (
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
)

// keys are what arrives at once: a bracketed paste, or a single key.
var keys = regexp.MustCompile(`(?s)\x1b\[200~.*\x1b\[201~|.`)

// A shell in a pane answers what is typed as a terminal shows it.
func TestShellShowsWhatATerminalWould(t *testing.T) {
	tests := map[string]struct{ typed, want string }{
		"a command":                {"echo hello\r", "$ echo hello\nhello\n$"},
		"an empty line":            {"\r", "$\n$"},
		"spaces and quotes":        {`printf '%s|' "a  b" c` + "\r", "$ printf '%s|' \"a  b\" c\na  b|c|$"},
		"a variable stays":         {"x=5\recho $x\r", "$ x=5\n$ echo $x\n5\n$"},
		"a function":               {"f() { echo in $1; }\rf q\r", "$ f() { echo in $1; }\n$ f q\nin q\n$"},
		"an alias":                 {"alias ll='echo listed'\rll x\r", "$ alias ll='echo listed'\n$ ll x\nlisted x\n$"},
		"the status":               {"false\recho $?\r", "$ false\n$ echo $?\n1\n$"},
		"an unknown command":       {"nope\r", "$ nope\nbash: nope: command not found\n$"},
		"an incomplete one":        {"echo 'a\rb'\r", "$ echo 'a\n> b'\na\nb\n$"},
		"a loop over lines":        {"for i in 1 2\rdo echo $i; done\r", "$ for i in 1 2\n> do echo $i; done\n1\n2\n$"},
		"a pipe":                   {"seq 3 | wc -l\r", "$ seq 3 | wc -l\n3\n$"},
		"a pipe of three":          {"seq 20 | cat | head -n 2\r", "$ seq 20 | cat | head -n 2\n1\n2\n$"},
		"a here-document":          {"x=v; cat <<E\ra $x \"q\" \\\"\rE\r", "$ x=v; cat <<E\n> a $x \"q\" \\\"\n> E\na v \"q\" \\\"\n$"},
		"a quoted here-document":   {"cat <<'E'\r$x\rE\r", "$ cat <<'E'\n> $x\n> E\n$x\n$"},
		"a here-string":            {"cat <<<\"a  b\"\r", "$ cat <<<\"a  b\"\na  b\n$"},
		"a substitution":           {"echo $(seq 2)\r", "$ echo $(seq 2)\n1 2\n$"},
		"a file":                   {"echo x >/t/f; cat /t/f\r", "$ echo x >/t/f; cat /t/f\nx\n$"},
		"erasing":                  {"echo ab\x7fc\r", "$ echo ac\nac\n$"},
		"erasing a wide character": {"echo 日本\x7f!\r", "$ echo 日!\n日!\n$"},
		"killing the line":         {"garbage\x15echo ok\r", "$ echo ok\nok\n$"},
		"C-c at the prompt":        {"garbage\x03echo ok\r", "$ garbage^C\n$ echo ok\nok\n$"},
		"C-c in a quote":           {"echo 'a\r\x03echo ok\r", "$ echo 'a\n> ^C\n$ echo ok\nok\n$"},
		"C-c during a command":     {"sleep 99\r\x03echo $?\r", "$ sleep 99\n^C\n$ echo $?\n130\n$"},
		"a program's input":        {"cat\rhi\r\x04echo ok\r", "$ cat\nhi\nhi\n$ echo ok\nok\n$"},
		"read":                     {"read v\rsome text\recho \"<$v>\"\r", "$ read v\nsome text\n$ echo \"<$v>\"\n<some text>\n$"},
		"read from a file":         {"seq 2 | while read n; do echo n$n; done\r", "$ seq 2 | while read n; do echo n$n; done\nn1\nn2\n$"},
		"typing ahead":             {"sleep 5\recho later\r", "$ sleep 5\necho later\n$ echo later\nlater\n$"},
		"a bracketed paste":        {"\x1b[200~echo a\recho b\x1b[201~\r", "$ echo a\necho b\na\nb\n$"},
		"C-z and fg":               {"sleep 9\r\x1afg\recho $?\r", "$ sleep 9\n^Z\n[1]+  Stopped                 sleep 9\n$ fg\nsleep 9\necho $?\n$ echo $?\n0\n$"},
		"in the background":        {"sleep 9 &\recho now\r", "$ sleep 9 &\n$ echo now\nnow\n$"},
		"a syntax error":           {"echo )\r", "$ echo )\nbash: syntax error: 1:6: a command can only contain words and redirects; encount\nered `)`\n$"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := fake.New(fake.Options{})
				defer w.Close()
				pane := w.AddSession("main")
				for _, key := range keys.FindAllString(test.typed, -1) {
					w.Type(pane, key)
					if name != "typing ahead" {
						synctest.Wait() // for what Enter, C-c and C-z begin
					}
				}
				if err := w.AwaitPrompt(t.Context(), pane); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, w.Screen(pane)); diff != "" {
					t.Errorf("screen after typing %q (-want +got):\n%s\n%v", test.typed, diff, w)
				}
			})
		})
	}
}
