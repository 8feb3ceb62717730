package tmux_test

import (
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// What tmux 3.8 wrote to a client, and what it wrote of the same windows to a control client.
const (
	nestedJSON = `{"V":2,"L":{"t":"v","w":80,"h":24,"x":0,"y":0,"c":[{"t":"p","w":80,"h":12,"x":0,"y":0,"l":1,"i":0,"I":"%0"},` +
		`{"t":"h","w":80,"h":11,"x":0,"y":13,"c":[{"t":"p","w":40,"h":11,"x":0,"y":13,"l":0,"i":1,"I":"%1"},` +
		`{"t":"p","w":39,"h":11,"x":41,"y":13,"a":true,"i":2,"I":"%2"}]}]}}`
	nestedClassic = "b05b,80x24,0,0[80x12,0,0,0,80x11,0,13{40x11,0,13,1,39x11,41,13,2}]"
	floatingJSON  = `{"V":2,"L":{"t":"v","w":80,"h":24,"x":0,"y":0,"c":[{"t":"p","w":80,"h":12,"x":0,"y":0,"l":1,"i":0,"I":"%0"},` +
		`{"t":"p","w":80,"h":11,"x":0,"y":13,"a":true,"i":1,"I":"%2"},{"t":"p","w":18,"h":3,"x":4,"y":2,"l":0,"i":2,"z":0,"I":"%1"}]}}`
	floatingClassic  = "4196,80x24,0,0[80x12,0,0,0,80x11,0,13,2]"
	oneFloatsJSON    = `{"V":2,"L":{"t":"v","w":80,"h":24,"x":0,"y":0,"c":[{"t":"p","w":80,"h":24,"x":0,"y":0,"l":0,"i":0,"I":"%0"},{"t":"p","w":18,"h":3,"x":4,"y":2,"a":true,"i":1,"z":0,"I":"%1"}]}}`
	oneFloatsClassic = "b25d,80x24,0,0,0"
)

func TestClassicLayout(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"panes within each other":    {nestedJSON, nestedClassic},
		"a pane floats":              {floatingJSON, floatingClassic},
		"all panes but one float":    {oneFloatsJSON, oneFloatsClassic},
		"in that form already":       {nestedClassic, nestedClassic},
		"none at all":                {"", ""},
		"a version that is to come":  {`{"V":3}`, `{"V":3}`},
		"panes in another order":     {strings.Replace(nestedJSON, `"i":0`, `"i":3`, 1), strings.Replace(nestedJSON, `"i":0`, `"i":3`, 1)},
		"with what nobody knows yet": {strings.Replace(nestedJSON, `"a":true`, `"new":[{}]`, 1), nestedClassic},
	} {
		if got := tmux.ClassicLayout(c.text); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestParseJSONLayout(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"as tmux writes it":     {nestedJSON, ""},
		"no JSON":               {`{"V":2,`, "no layout string"},
		"another version":       {strings.Replace(nestedJSON, `"V":2`, `"V":1`, 1), "version 1"},
		"no cells":              {`{"V":2}`, "type"},
		"an unknown cell":       {strings.Replace(nestedJSON, `"t":"h"`, `"t":"q"`, 1), "type"},
		"a pane with cells":     {strings.Replace(nestedJSON, `"t":"h"`, `"t":"p"`, 1), "type"},
		"a row without cells":   {strings.Replace(nestedJSON, `"t":"p"`, `"t":"h"`, 1), "holds 0 cells"},
		"a pane that is none":   {strings.Replace(nestedJSON, `%1`, `%1;kill-server`, 1), "no pane"},
		"a pane with a sign":    {strings.Replace(nestedJSON, `%1`, `%+1`, 1), "no pane"},
		"panes in disorder":     {strings.Replace(nestedJSON, `"i":1`, `"i":2`, 1), "order"},
		"nothing but floating":  {strings.ReplaceAll(oneFloatsJSON, `"i":0`, `"i":0,"z":1`), "floating"},
		"elsewhere":             {strings.Replace(oneFloatsJSON, `"w":80,"h":24,"x":0,"y":0,"l"`, `"w":80,"h":24,"x":1,"y":0,"l"`, 1), "does not begin"},
		"leaving room":          {strings.Replace(nestedJSON, `"w":39`, `"w":38`, 1), "fill"},
		"a fraction of a cell":  {strings.Replace(nestedJSON, `"w":39`, `"w":39.5`, 1), "no layout string"},
		"cells that go too far": {`{"V":2,"L":` + strings.Repeat(`{"t":"v","c":[`, 100) + `{}` + strings.Repeat(`]}`, 100) + `}`, "too deep"},
		"too long":              {nestedJSON + strings.Repeat(" ", 20000), "too long"},
	} {
		cell, err := tmux.ParseLayout(c.text)
		switch {
		case c.says == "" && (err != nil || cell.String() != nestedClassic):
			t.Errorf("%s: got %v, %v; want %s", name, cell, err, nestedClassic)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: got %v, want that it says %q", name, err, c.says)
		}
	}
}
