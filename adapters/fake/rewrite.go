package fake

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// inBackground is a variable that is set in a background job.
const inBackground = "__fake_background"

// killShell is the program that plays the builtin kill.
const killShell = "__fake_kill"

// writeDocument is the program that stores an expanded here-document.
const writeDocument = "__fake_document"

// rewrite replaces what the interpreter does through pipes of the system, which no synctest bubble can wait for: a pipeline
// becomes two subshells with a file between them, run one after the other, and a here-document a file.
func rewrite(file *syntax.File) {
	number := 0
	next := func() string {
		number++
		return fmt.Sprintf("/fake/pipe/%p/%d", file, number)
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if statement, ok := node.(*syntax.Stmt); ok {
			rewritePipe(statement, next)
			rewriteDocuments(statement, next)
			if statement.Background {
				mark := &syntax.Stmt{Cmd: &syntax.CallExpr{Assigns: []*syntax.Assign{
					{Name: &syntax.Lit{Value: inBackground}, Value: word("1")},
				}}}
				statement.Cmd = &syntax.Block{Stmts: []*syntax.Stmt{mark, {Cmd: statement.Cmd}}}
			}
		}
		return true
	})
}

func word(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}}
}

func rewritePipe(statement *syntax.Stmt, next func() string) {
	pipe, ok := statement.Cmd.(*syntax.BinaryCmd)
	if !ok || pipe.Op != syntax.Pipe && pipe.Op != syntax.PipeAll {
		return
	}
	name := next()
	out := []*syntax.Redirect{{Op: syntax.RdrOut, Word: word(name)}}
	if pipe.Op == syntax.PipeAll {
		out = append(out, &syntax.Redirect{Op: syntax.DplOut, N: &syntax.Lit{Value: "2"}, Word: word("1")})
	}
	statement.Cmd = &syntax.Block{Stmts: []*syntax.Stmt{
		{Cmd: &syntax.Subshell{Stmts: []*syntax.Stmt{pipe.X}}, Redirs: out},
		{
			Cmd:    &syntax.Subshell{Stmts: []*syntax.Stmt{pipe.Y}},
			Redirs: []*syntax.Redirect{{Op: syntax.RdrIn, Word: word(name)}},
		},
	}}
}

func rewriteDocuments(statement *syntax.Stmt, next func() string) {
	var before []*syntax.Stmt
	for _, redirect := range statement.Redirs {
		var text *syntax.Word
		switch redirect.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text = document(redirect)
		case syntax.WordHdoc:
			parts := append(slices.Clone(redirect.Word.Parts), &syntax.Lit{Value: "\n"})
			text = &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: parts}}}
		default:
			continue
		}
		name := next()
		before = append(before, &syntax.Stmt{Cmd: &syntax.CallExpr{
			Args: []*syntax.Word{word(writeDocument), word(name), text},
		}})
		*redirect = syntax.Redirect{Op: syntax.RdrIn, Word: word(name)}
	}
	if before != nil {
		inner := &syntax.Stmt{Cmd: statement.Cmd, Redirs: statement.Redirs}
		statement.Cmd, statement.Redirs = &syntax.Block{Stmts: append(before, inner)}, nil
	}
}

// document turns the body of a here-document into a word that expands to the same text.
func document(redirect *syntax.Redirect) *syntax.Word {
	if redirect.Hdoc == nil {
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{}}}
	}
	quoted := false
	for _, part := range redirect.Word.Parts {
		literal, ok := part.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(literal.Value, `\`)
	}
	var parts []syntax.WordPart
	start := true
	for _, part := range redirect.Hdoc.Parts {
		literal, ok := part.(*syntax.Lit)
		if !ok {
			parts, start = append(parts, part), false
			continue
		}
		text := literal.Value
		if redirect.Op == syntax.DashHdoc {
			text = untab(text, start)
		}
		start = strings.HasSuffix(text, "\n")
		if quoted {
			parts = append(parts, &syntax.SglQuoted{Value: text})
		} else {
			// Between double quotes a backslash also escapes the quote; in a document it does not.
			parts = append(parts, &syntax.Lit{Value: strings.ReplaceAll(text, `\"`, `\\"`)})
		}
	}
	if quoted {
		return &syntax.Word{Parts: parts}
	}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: parts}}}
}

// untab removes the tabs at the beginning of each line.
func untab(text string, start bool) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		if i > 0 || start {
			lines[i] = strings.TrimLeft(lines[i], "\t")
		}
	}
	return strings.Join(lines, "\n")
}
