package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// scheme begins every URI of a resource.
const scheme = "tmux://"

// route finds the resource that a URI names, and the values in it.
func (a *App) route(uri string) (Resource, values, error) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if ok {
		segments := strings.Split(rest, "/")
		for _, resource := range a.Resources() {
			at, matches, err := match(strings.Split(strings.TrimPrefix(resource.Template, scheme), "/"), segments)
			if matches {
				return resource, at, err
			}
		}
	}
	return Resource{}, nil, noResource(fmt.Sprintf("there is no resource %.200q", uri), "list the templates of resources")
}

// match compares the segments of a URI with those of a template, and gives the values of its variables. That one of these is not
// encoded canonically is an error: a URI that could be written in two ways would name one thing twice.
func match(template, segments []string) (values, bool, error) {
	if len(template) != len(segments) {
		return nil, false, nil
	}
	at := values{}
	var malformed error
	for i, segment := range segments {
		variable, isVariable := strings.CutPrefix(template[i], "{")
		if !isVariable {
			if template[i] != segment {
				return nil, false, nil
			}
			continue
		}
		variable = strings.TrimSuffix(variable, "}")
		value := unescaped(segment)
		if (value == "" || escaped(value) != segment) && malformed == nil {
			malformed = fault.Invalidf("encode every byte but letters, digits, - . _ ~ as % and two capital hexadecimal digits, and nothing else",
				"%s %.130q in the URI is not percent-encoded canonically", variable, segment)
		}
		at[variable] = value
	}
	return at, true, malformed
}

// unescaped undoes escaped. What that cannot have made comes out as something that it makes otherwise.
func unescaped(segment string) string {
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		if segment[i] == '%' && i+2 < len(segment) {
			if c, err := strconv.ParseUint(segment[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(segment[i])
	}
	return b.String()
}

// escaped is a text as a segment of a URI. Source: RFC 3986, 2.3 and 6.2.2.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
