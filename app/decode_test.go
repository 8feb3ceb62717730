package app_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

type nested struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

type arguments struct {
	Pane        string            `json:"pane_id" jsonschema:"the pane's id, from list_panes"`
	Direction   string            `json:"direction,omitempty" enum:"below,above"`
	History     int               `json:"history,omitempty" min:"0" max:"2000"`
	Timeout     *float64          `json:"timeout,omitempty" min:"0"`
	Styles      bool              `json:"styles,omitempty"`
	Names       []string          `json:"names,omitempty" minItems:"1" maxItems:"3"`
	Text        string            `json:"text,omitempty" maxLength:"5"`
	Calls       []nested          `json:"calls,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
	Since       time.Time         `json:"since,omitzero"`
	Index       int               `json:"index,omitempty"`
}

func TestDecode(t *testing.T) {
	tests := map[string]struct {
		given string
		want  arguments
	}{
		"required alone":        {`{"pane_id":"%1"}`, arguments{Pane: "%1"}},
		"a whole number as 1.0": {`{"pane_id":"%1","history":1.0}`, arguments{Pane: "%1", History: 1}},
		"a whole number as 2e3": {`{"pane_id":"%1","history":2e3}`, arguments{Pane: "%1", History: 2000}},
		"at the lower bound":    {`{"pane_id":"%1","history":0}`, arguments{Pane: "%1"}},
		"minus zero":            {`{"pane_id":"%1","history":-0.0}`, arguments{Pane: "%1"}},
		"a fraction":            {`{"pane_id":"%1","timeout":0.25}`, arguments{Pane: "%1", Timeout: new(0.25)}},
		"zero is not absent":    {`{"pane_id":"%1","timeout":0}`, arguments{Pane: "%1", Timeout: new(0.0)}},
		"a truth":               {`{"pane_id":"%1","styles":true}`, arguments{Pane: "%1", Styles: true}},
		"an enum":               {`{"pane_id":"%1","direction":"above"}`, arguments{Pane: "%1", Direction: "above"}},
		"a full list":           {`{"pane_id":"%1","names":["a","","c"]}`, arguments{Pane: "%1", Names: []string{"a", "", "c"}}},
		"text of characters":    {`{"pane_id":"%1","text":"日本<&\n"}`, arguments{Pane: "%1", Text: "日本<&\n"}},
		"a surrogate pair":      {`{"pane_id":"%1","text":"\\\ud83c\udf89"}`, arguments{Pane: "%1", Text: `\🎉`}},
		"an escaped backslash":  {`{"pane_id":"\\ud83c","text":"\ufffd�"}`, arguments{Pane: `\ud83c`, Text: "��"}},
		"a map":                 {`{"pane_id":"%1","environment":{"A":"1","B":""}}`, arguments{Pane: "%1", Environment: map[string]string{"A": "1", "B": ""}}},
		"an open object": {
			`{"pane_id":"%1","calls":[{"tool":"t","arguments":{"n":1.50,"list":[true,{"s":"x"}],"big":90071992547409931}}]}`,
			arguments{Pane: "%1", Calls: []nested{{"t", json.RawMessage(`{"n":1.50,"list":[true,{"s":"x"}],"big":90071992547409931}`)}}},
		},
		"white space": {" {\n\"pane_id\" :\t\"%1\" , \"styles\": false} ", arguments{Pane: "%1"}},
	}
	schema := app.SchemaOf(reflect.TypeFor[arguments]())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got arguments
			if err := app.Decode(schema, json.RawMessage(test.given), &got); err != nil {
				t.Fatalf("%s: %v", test.given, err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.given, diff)
			}
		})
	}
}

func TestDecodeOfNoArguments(t *testing.T) {
	schema := app.SchemaOf(reflect.TypeFor[struct{}]())
	for _, given := range []string{"", " ", "{}", "null"} {
		if err := app.Decode(schema, json.RawMessage(given), &struct{}{}); err != nil {
			t.Errorf("%q: want no arguments, got %v", given, err)
		}
	}
	err := app.Decode(schema, json.RawMessage(`{"all":true}`), &struct{}{})
	wantInvalid(t, err, `unknown argument "all"`, "call it without arguments")
}

func TestDecodeRefuses(t *testing.T) {
	const known = "its arguments are pane_id (required), direction, history, timeout, styles, names, text, calls, environment, since, index"
	const pane = "give pane_id as a string: the pane's id, from list_panes"
	long := strings.Repeat("x", 100)
	tests := map[string]struct {
		given    string
		message  string
		recovery string
	}{
		"not JSON":                  {`{"pane_id":}`, "the arguments are not JSON", "send one JSON object"},
		"two values":                {`{} {}`, "the arguments are not JSON", "send one JSON object"},
		"a list of arguments":       {`["%1"]`, "the arguments must be an object, not a list", "give the arguments as an object"},
		"a string of JSON":          {`"{}"`, `the arguments must be an object, not the string "{}"`, "give the arguments as an object"},
		"unknown":                   {`{"pane_id":"%1","pane":"%1"}`, `unknown argument "pane"`, known},
		"another case":              {`{"Pane_ID":"%1"}`, `unknown argument "Pane_ID"`, known},
		"unknown and long":          {`{"` + long + `":1}`, `unknown argument "` + long[:64] + `..."`, known},
		"missing":                   {`{"styles":true}`, "argument pane_id is missing", pane},
		"twice":                     {`{"pane_id":"%1","pane_id":"%2"}`, `argument "pane_id" is given twice`, "give it once"},
		"null":                      {`{"pane_id":null}`, "pane_id must be a string, not null", pane},
		"null where optional":       {`{"pane_id":"%1","styles":null}`, "styles must be true or false, not null", "give styles as true or false"},
		"a number as id":            {`{"pane_id":1}`, "pane_id must be a string, not the number 1", pane},
		"a list as id":              {`{"pane_id":["%1"]}`, "pane_id must be a string, not a list", pane},
		"an object as id":           {`{"pane_id":{"id":1}}`, "pane_id must be a string, not an object", pane},
		"a truth as id":             {`{"pane_id":true}`, "pane_id must be a string, not true", pane},
		"a string as number":        {`{"pane_id":"%1","history":" 5"}`, `history must be a whole number from 0 to 2000, not the string " 5"`, "give history as a whole number from 0 to 2000"},
		"a string as truth":         {`{"pane_id":"%1","styles":"true"}`, `styles must be true or false, not the string "true"`, "give styles as true or false"},
		"a string as list":          {`{"pane_id":"%1","names":"a"}`, `names must be a list of 1 to 3 items, not the string "a"`, "give names as a list of 1 to 3 items"},
		"a fraction":                {`{"pane_id":"%1","history":1.5}`, "history must be a whole number from 0 to 2000, not the number 1.5", "give history as a whole number from 0 to 2000"},
		"below":                     {`{"pane_id":"%1","history":-1}`, "history must be a whole number from 0 to 2000, not the number -1", "give history as a whole number from 0 to 2000"},
		"above":                     {`{"pane_id":"%1","history":2001}`, "history must be a whole number from 0 to 2000, not the number 2001", "give history as a whole number from 0 to 2000"},
		"a negative time":           {`{"pane_id":"%1","timeout":-0.5}`, "timeout must be a number of at least 0, not the number -0.5", "give timeout as a number of at least 0"},
		"past all numbers":          {`{"pane_id":"%1","timeout":1e999}`, "timeout must be a number of at least 0, not the number 1e999", "give timeout as a number of at least 0"},
		"past exact numbers":        {`{"pane_id":"%1","index":9007199254740993e1}`, "index must be a whole number, not the number 9007199254740993e1", "give index as a whole number"},
		"not as the field reads it": {`{"pane_id":"%1","since":"now"}`, `the arguments do not fit: parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"`, "correct the arguments and call again"},
		"not in the enum":           {`{"pane_id":"%1","direction":"up"}`, `direction must be one of "below", "above", not the string "up"`, `give direction as one of "below", "above"`},
		"too few":                   {`{"pane_id":"%1","names":[]}`, "names must be a list of 1 to 3 items, not one of 0", "give names as a list of 1 to 3 items"},
		"too many":                  {`{"pane_id":"%1","names":["a","b","c","d"]}`, "names must be a list of 1 to 3 items, not one of 4", "give names as a list of 1 to 3 items"},
		"too long":                  {`{"pane_id":"%1","text":"日本語です。"}`, "text must be a string of at most 5 characters, not one of 6", "give text as a string of at most 5 characters"},
		"within a list":             {`{"pane_id":"%1","names":["a",2]}`, "names[1] must be a string, not the number 2", "give names[1] as a string"},
		"unknown within":            {`{"pane_id":"%1","calls":[{"tool":"t","args":{}}]}`, `unknown argument "calls[0].args"`, "its arguments are tool (required), arguments"},
		"missing within":            {`{"pane_id":"%1","calls":[{"arguments":{}}]}`, "argument calls[0].tool is missing", "give calls[0].tool as a string"},
		"within a map":              {`{"pane_id":"%1","environment":{"A":1}}`, "environment.A must be a string, not the number 1", "give environment.A as a string"},
		"null deep within":          {`{"pane_id":"%1","calls":[{"tool":"t","arguments":{"a":[null]}}]}`, "calls[0].arguments.a[0] must not be null", "leave it out"},
		"twice deep within":         {`{"pane_id":"%1","calls":[{"tool":"t","arguments":{"a":1,"\u0061":2}}]}`, `argument "calls[0].arguments.a" is given twice`, "give it once"},
		"NUL":                       {`{"pane_id":"%1\u0000"}`, "pane_id holds a NUL, which tmux cannot carry", "leave it out"},
		"NUL in a key":              {`{"pane_id":"%1","environment":{"A\u0000":"1"}}`, "environment.A\x00 holds a NUL, which tmux cannot carry", "leave it out"},
		"not UTF-8":                 {"{\"pane_id\":\"%1\xff\"}", "pane_id is not valid UTF-8", "send text as UTF-8"},
		"half a pair":               {`{"pane_id":"%1","text":"\ud83c"}`, "text holds half of a surrogate pair, which is no character", "send characters beyond U+FFFF as UTF-8 or as a pair of escapes"},
		"half a pair and more":      {`{"pane_id":"%1","text":"\ud83c\u0041"}`, "text holds half of a surrogate pair, which is no character", "send characters beyond U+FFFF as UTF-8 or as a pair of escapes"},
		"a long wrong value":        {`{"pane_id":"%1","direction":"` + long + `"}`, `direction must be one of "below", "above", not the string "` + long[:64] + `..."`, `give direction as one of "below", "above"`},
	}
	schema := app.SchemaOf(reflect.TypeFor[arguments]())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var in arguments
			wantInvalid(t, app.Decode(schema, json.RawMessage(test.given), &in), test.message, test.recovery)
		})
	}
}

func wantInvalid(t *testing.T, err error, message, recovery string) {
	t.Helper()
	got, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("want a fault, got %v", err)
	}
	want := &fault.Error{Kind: fault.InvalidInput, Message: message, Recovery: recovery}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fault (-want +got):\n%s", diff)
	}
}
