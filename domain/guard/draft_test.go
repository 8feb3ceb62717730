package guard_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

const width = 20

// shown is a screen of ten rows whose cursor stands where "|" does in the rows.
func shown(rows ...string) screen.Capture {
	c := screen.Capture{First: 100, Pane: tmux.Pane{ID: "%1", PID: 7, Width: width, Height: 10, HistorySize: 100, Command: "bash", Path: "/src"}}
	for y, row := range rows {
		if before, after, ok := strings.Cut(row, "|"); ok {
			c.Pane.CursorX, c.Pane.CursorY = columns(before), y
			row = before + after
		}
		c.Rows = append(c.Rows, row)
	}
	for len(c.Rows) < c.Pane.Height {
		c.Rows = append(c.Rows, "")
	}
	return c
}

// columns counts those of a text without anything but the wide characters of these tests, and SGR.
func columns(text string) int {
	n := 0
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			_, text, _ = strings.Cut(rest, "m")
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		n++
		if r >= 0x2e80 {
			n++
		}
	}
	return n
}

func in(directory string, c screen.Capture) screen.Capture {
	c.Pane.Path = directory
	return c
}

func prompts(captures ...screen.Capture) []guard.Prompt {
	var learned []guard.Prompt
	for _, c := range captures {
		learned = guard.Learn(learned, c)
	}
	return learned
}

func TestJudgeDraft(t *testing.T) {
	const (
		isEmpty = guard.DraftEmpty
		present = guard.DraftPresent
		unknown = guard.DraftUnknown
	)
	plain := prompts(shown("$ |"))
	clock := prompts(shown("[12:59] $ |"))
	path := prompts(shown("/src $ |"))
	right := prompts(shown("$ |          12:59:01"))
	hint := prompts(shown("$ |\x1b[38;5;8mtype here"))
	ps2 := prompts(shown("out", "> |"))
	blank := prompts(shown("out", "|"))
	alternate := shown("$ |")
	alternate.Pane.Alternate = true
	inMode := shown("out", "$ |")
	inMode.Pane.Mode = "copy-mode"
	fish := shown("> true", "> |")
	fish.Pane.Command = "fish"
	cases := map[string]struct {
		now     screen.Capture
		learned []guard.Prompt
		want    guard.DraftState
		text    string
	}{
		"empty":                           {shown("out", "$ |"), plain, isEmpty, ""},
		"unwritten blank":                 {shown("out", "$|"), plain, unknown, ""},
		"the very screen":                 {shown("$ |"), plain, isEmpty, ""},
		"the very screen, blank":          {shown("out", "|"), blank, isEmpty, ""},
		"alternate screen":                {alternate, plain, unknown, ""},
		"a mode":                          {inMode, plain, unknown, ""},
		"a word":                          {shown("out", "$ ls|"), plain, present, "ls"},
		"blanks":                          {shown("out", "$   |"), plain, present, ""},
		"a word, at its beginning":        {shown("out", "$ |ls"), plain, present, "ls"},
		"inside a word":                   {shown("out", "$ l|s"), plain, present, "ls"},
		"an erased word":                  {shown("out", "$ |  "), plain, isEmpty, ""},
		"wrapped":                         {shown("$ 345678901234567890", "$ |"), plain, present, "345678901234567890$"},
		"wrapped, at its beginning":       {shown("out", "$ |345678901234567890", "$ "), plain, present, "345678901234567890$"},
		"wrapped at blanks":               {shown("$ x                 ", "$ |"), plain, unknown, ""},
		"wrapped at a wide character":     {shown("$ 3456789012345678字", "$ |"), plain, present, "3456789012345678字$"},
		"after output up to the margin":   {shown("12345678901234567890", "$ |"), plain, unknown, ""},
		"after zsh's end-of-line mark":    {shown("out%                ", "$ |"), plain, isEmpty, ""},
		"output without its newline":      {shown("out$ |"), plain, unknown, ""},
		"another prompt":                  {shown("% |"), plain, unknown, ""},
		"something below":                 {shown("$ |", "bin etc usr"), plain, unknown, ""},
		"a word with something below":     {shown("$ |ls", "bin etc usr"), plain, present, "ls"},
		"search":                          {shown("(reverse-i-search)`': |"), plain, present, "(reverse-i-search)`':"},
		"zsh's search":                    {shown("$ |", "bck-i-search: _"), plain, present, "$"},
		"a number for a key":              {shown("(arg: 3) |"), plain, present, "(arg: 3)"},
		"clock":                           {shown("out", "[1:00] $ |"), clock, isEmpty, ""},
		"clock, and digits":               {shown("out", "[1:00] $ 12|"), clock, present, "12"},
		"a prompt that ends in a digit":   {shown("out", "121|"), prompts(shown("12|")), unknown, ""},
		"and its next number":             {shown("out", "13|"), prompts(shown("12|")), unknown, ""},
		"elsewhere":                       {in("/usr/share", shown("out", "/usr/share $ |")), path, isEmpty, ""},
		"at home":                         {in("/home/me", shown("out", "~ $ |")), path, isEmpty, ""},
		"elsewhere, and a word":           {in("/usr", shown("out", "/usr $ ls $ |")), path, unknown, ""},
		"a path that is not this":         {in("/usr", shown("out", "/etc $ |")), path, unknown, ""},
		"a path that nothing ends":        {in("/usr", shown("out", "/usr/x|")), prompts(shown("/src|")), unknown, ""},
		"a path that a word ends":         {in("/usr", shown("out", "/usr main |")), prompts(shown("/src main |")), unknown, ""},
		"directory unknown":               {in("", shown("out", "/usr $ |")), path, unknown, ""},
		"right prompt, not at its margin": {shown("out", "$ |   13:00:00"), right, present, "13:00:00"},
		"right prompt, later":             {shown("out", "$ |          13:00:00"), right, isEmpty, ""},
		"right prompt, and a word":        {shown("out", "$ |ls        13:00:00"), right, present, "ls        13:00:00"},
		"right prompt, after a word":      {shown("out", "$ ls|        13:00:00"), right, present, "ls        13:00:00"},
		"right prompt on the row above":   {shown("$ true      12:59:30", "$ |          12:59:30"), right, isEmpty, ""},
		"right prompt erased":             {shown("out", "$ |"), right, isEmpty, ""},
		"hint":                            {shown("out", "$ |\x1b[38;5;8mor here"), hint, isEmpty, ""},
		"hint in another grey":            {shown("out", "$ |\x1b[38;5;240mor here"), hint, present, "or here"},
		"a comment as grey as the hint":   {shown("out", "$ |\x1b[38;5;8m# here"), hint, present, "# here"},
		"a word and a suggestion":         {shown("out", "$ l\x1b[38;5;8m|s"), hint, present, "ls"},
		"grey, where no hint was":         {shown("out", "$ |\x1b[38;5;8mtype here"), plain, present, "type here"},
		"like PS2, after output":          {shown("out", "> |"), append(ps2, plain...), isEmpty, ""},
		"like PS2, after a line":          {shown("> echo 'a", "> |"), ps2, unknown, ""},
		"like PS2, at the top":            {shown("> |"), ps2, unknown, ""},
		"like PS2, in fish":               {fish, ps2Of(fish), isEmpty, ""},
		"zsh's PS2":                       {shown("$ echo 'a", "quote> |"), plain, present, "$ echo 'a\nquote>"},
		"zsh's PS2, never seen":           {shown("% if", "if dquote> |"), nil, present, "% if\nif dquote>"},
		"blank prompt":                    {shown("other", "|"), blank, unknown, ""},
		"blank prompt, and a word":        {shown("other", "ls|"), blank, present, "ls"},
		"a blank one before another":      {shown("other", "$ |"), append(prompts(shown("$ |")), blank...), isEmpty, ""},
		"a blank one after another":       {shown("other", "$ |"), append(prompts(shown("out", "|")), plain...), unknown, ""},
		"a prompt, or a word at another":  {shown("other", "~ main |"), prompts(shown("~ |"), shown("~ main |")), unknown, ""},
		"several prompts":                 {shown("other", "~ $ |"), prompts(shown("~ $ |"), shown("1 $ |")), isEmpty, ""},
		"nothing learned":                 {shown("$ |"), nil, unknown, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := guard.JudgeDraft(c.now, c.learned)
			if got.State != c.want || got.Text != c.text {
				t.Errorf("%q\nwant %s, %q, got %+v", c.now.Rows[:c.now.Pane.CursorY+2], c.want, c.text, got)
			}
		})
	}
}

// TestBeforeTmux33 has rows that are padded to a quarter, a half or the whole of the width.
func TestBeforeTmux33(t *testing.T) {
	old := func(rows ...string) screen.Capture {
		c := shown(rows...)
		c.Server.Version = "3.2a"
		return c
	}
	cases := map[string]struct {
		now  screen.Capture
		want guard.DraftState
	}{
		"after a short line":         {old("$ make it     ", "$ |"), guard.DraftEmpty},
		"after a line past the half": {old("$ make all it       ", "$ |  "), guard.DraftEmpty},
		"up to the margin":           {old("$ make all of it now", "$ |  "), guard.DraftPresent},
		"with a blank at the edge":   {old("$ make all of it no ", "$ |  "), guard.DraftPresent},
		"with blanks at the edge":    {old("$ make all of it    ", "$ |  "), guard.DraftUnknown},
		"blanks":                     {old("out  ", "$   |"), guard.DraftPresent},
		"a word":                     {old("out  ", "$ |ls "), guard.DraftPresent},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := guard.JudgeDraft(c.now, prompts(old("out  ", "$ |   "))); got.State != c.want {
				t.Errorf("%q\nwant %s, got %+v", c.now.Rows[:2], c.want, got)
			}
		})
	}
	right := prompts(old("out  ", "$ |         12:59:01 "))
	if got := guard.JudgeDraft(old("$ true     13:00:01 ", "$ |         13:00:01 "), right); got.State != guard.DraftEmpty {
		t.Errorf("a right prompt on both rows: %+v", got)
	}
}

// ps2Of learns the screen of a shell a row higher.
func ps2Of(c screen.Capture) []guard.Prompt {
	c.Rows, c.Pane.CursorY = append(c.Rows[1:], ""), c.Pane.CursorY-1
	return prompts(c)
}

func TestPromptlike(t *testing.T) {
	cases := map[string]bool{
		"$ |":                       true,
		"root@host:~# |":            true,
		"~/src (main) ❯ |":          true,
		"host% |":                   true,
		"~> |":                      true,
		"[12:00] $|":                true,
		"> |":                       false, // PS2
		"quote> |":                  false,
		"$ ls|":                     false,
		"$ |ls":                     false,
		"$ echo > |":                false, // a prompt with something behind it
		"$ $ |":                     false,
		"   $ |":                    false, // the end of something wrapped
		"$  |":                      false,
		"Password: |":               false,
		"|":                         false,
		"(reverse-i-search)`$ ': |": false,
	}
	for row, want := range cases {
		t.Run(row, func(t *testing.T) {
			if got := guard.JudgeDraft(shown("out", row), nil); got.Promptlike != want || got.State == guard.DraftEmpty {
				t.Errorf("want promptlike %v and not empty, got %+v", want, got)
			}
		})
	}
	if got := guard.JudgeDraft(shown("out", "$ |", "below"), nil); got.Promptlike {
		t.Errorf("with something below: %+v", got)
	}
	if got := guard.JudgeDraft(shown("out", "$ |"), prompts(shown("$ |"))); got.Promptlike {
		t.Errorf("known to be empty: %+v", got)
	}
	if got := guard.JudgeDraft(shown("out", "more% |"), prompts(shown("dev$ |"))); got.Promptlike || got.State != guard.DraftUnknown {
		t.Errorf("another prompt is known: %+v", got)
	}
}

func TestLearn(t *testing.T) {
	rows := func(learned []guard.Prompt) []string {
		var first []string
		for _, p := range learned {
			first = append(first, p.Capture.Rows[0])
		}
		return first
	}
	learned := prompts(shown("a $ |"), shown("b 1 $ |"), shown("c $ |"), shown("b 22 $ |"))
	if diff := cmp.Diff([]string{"b 22 $ ", "c $ ", "a $ "}, rows(learned)); diff != "" {
		t.Errorf("want one of a kind (-), got (+):\n%s", diff)
	}
	for _, row := range []string{"d $ |", "e $ |", "f $ |"} {
		learned = guard.Learn(learned, shown(row))
	}
	if diff := cmp.Diff([]string{"f $ ", "e $ ", "d $ ", "b 22 $ "}, rows(learned)); diff != "" {
		t.Errorf("want the newest (-), got (+):\n%s", diff)
	}
}

func TestCameBack(t *testing.T) {
	for _, c := range []struct {
		name, before, now string
		want              bool
	}{
		{"the same", "$ ", "$ ", true},
		{"with another clock", "12:01 $ ", "12:02 $ ", true},
		{"another one that ends like a prompt", "ok $ ", "failed $ ", true},
		{"another one that ends like none", "ok: ", "failed: ", false},
		{"something typed", "$ ", "$ ls", false},
		{"typed ahead, and then the prompt", "$ ", "ls$ ls", false},
		{"something typed at another one", "ok $ ", "failed $ ls", false},
		{"a command that goes on", "$ ", "> ", false},
		{"nothing known, and like a prompt", "", "$ ", true},
		{"nothing known, and like none", "", "$ ls", false},
		{"below output up to the margin", "$ ", strings.Repeat("x", 20) + "\n$ ", true},
		{"one that ends like none, below output up to the margin", "ok: ", strings.Repeat("x", 20) + "\nok: ", true},
		{"typed below output up to the margin", "$ ", strings.Repeat("x", 20) + "\n$ ls", false},
		{"something typed that wraps", "$ ", "$ " + strings.Repeat("x", 18) + "\ny $ ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var learned []guard.Prompt
			if c.before != "" {
				learned = prompts(shown(c.before + "|"))
			}
			if got := guard.CameBack(shown(strings.Split(c.now+"|", "\n")...), learned); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
}

func TestSettled(t *testing.T) {
	changes := map[string]func(*screen.Capture){
		"cursor":  func(c *screen.Capture) { c.Pane.CursorX++ },
		"row":     func(c *screen.Capture) { c.Pane.CursorY++ },
		"history": func(c *screen.Capture) { c.Pane.HistorySize++ },
		"width":   func(c *screen.Capture) { c.Pane.Width++ },
		"process": func(c *screen.Capture) { c.Pane.PID++ },
		"pane":    func(c *screen.Capture) { c.Pane.ID = "%2" },
		"text":    func(c *screen.Capture) { c.Rows[3] = "x" },
		"first":   func(c *screen.Capture) { c.First-- },
	}
	if !guard.Settled(shown("$ |"), shown("$ |")) {
		t.Error("want the same screen to be settled")
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			changed := shown("$ |")
			change(&changed)
			if guard.Settled(shown("$ |"), changed) {
				t.Error("want a change to be seen")
			}
		})
	}
}

// terminal writes text as a terminal does, from the first column of a row on, and returns the rows and where each character went.
func terminal(text string) (rows []string, places [][2]int) {
	row, column := "", 0
	for _, r := range text {
		if w := columns(string(r)); column+w > width {
			rows, row, column = append(rows, row), "", 0
		}
		places = append(places, [2]int{column, len(rows)})
		row += string(r)
		column += columns(string(r))
	}
	return append(rows, row), append(places, [2]int{column, len(rows)})
}

func promptGenerator() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-z0-9:~/ ]{0,12}[$%#>❯»]  ?`)
}

// TestAnythingTypedIsNeverEmpty types at any prompt, wrapped as the terminal does, with the cursor anywhere in it.
func TestAnythingTypedIsNeverEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prompt := promptGenerator().Draw(t, "prompt")
		draft := rapid.StringMatching(`[a-z0-9 $%#>❯字]{0,30}[a-z0-9$#>字][ ]{0,3}`).Draw(t, "draft")
		cursor := rapid.IntRange(0, len([]rune(draft))).Draw(t, "cursor")
		above := rapid.SampledFrom([]string{"out", prompt + "true", prompt}).Draw(t, "above")
		rows, places := terminal(prompt + draft)
		now := shown(append([]string{above}, rows...)...)
		place := places[len([]rune(prompt))+cursor]
		now.Pane.CursorX, now.Pane.CursorY = place[0], 1+place[1]
		if place[0] >= width { // an editor goes on to the next row
			now.Pane.CursorX, now.Pane.CursorY = 0, now.Pane.CursorY+1
		}
		if got := guard.JudgeDraft(now, prompts(shown(above, prompt+"|"))); got.State == guard.DraftEmpty {
			t.Fatalf("%q, cursor (%d,%d): %+v", now.Rows, now.Pane.CursorX, now.Pane.CursorY, got)
		}
	})
}

// TestAPromptIsKnownAgain sees a learned prompt below any output, later.
func TestAPromptIsKnownAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prompt := rapid.StringMatching(`[a-z:~/]{0,8} ?[$%#❯»] `).Draw(t, "prompt")
		hour := rapid.StringMatching(`[0-9]{1,2}:`).Draw(t, "hour")
		output := rapid.SliceOfN(rapid.StringMatching(`[a-z ]{0,15}`), 0, 7).Draw(t, "output")
		now := shown(append(output, hour+prompt+"|")...)
		if got := guard.JudgeDraft(now, prompts(shown("23:"+prompt+"|"))); got.State != guard.DraftEmpty {
			t.Fatalf("%q: %+v", now.Rows, got)
		}
	})
}

// TestNoScreenBreaksTheJudgement feeds it whatever bytes.
func TestNoScreenBreaksTheJudgement(t *testing.T) {
	row := rapid.OneOf(rapid.String(), rapid.StringMatching(`(\x1b(\[[0-9;:]{0,9}[mK]?|\][^\x1b]{0,3}(\x1b\\)?)?|[\ta字\x0e]){0,9}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	capture := rapid.Custom(func(t *rapid.T) screen.Capture {
		c := shown()
		c.Rows = rapid.SliceOfN(row, 0, 10).Draw(t, "rows")
		c.Pane.Width = rapid.IntRange(0, 30).Draw(t, "width")
		c.Pane.CursorX, c.Pane.CursorY = rapid.IntRange(0, 40).Draw(t, "x"), rapid.IntRange(-2, 12).Draw(t, "y")
		return c
	})
	rapid.Check(t, func(t *rapid.T) {
		now, before := capture.Draw(t, "now"), capture.Draw(t, "before")
		if got := guard.JudgeDraft(now, prompts(before)); got.State == "" {
			t.Fatalf("no state: %+v", got)
		}
	})
}
