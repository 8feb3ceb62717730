package guard

import (
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var digits = regexp.MustCompile(`[0-9]+`)

// fold makes prompts with clocks and counters comparable.
func fold(text string) string { return digits.ReplaceAllString(text, "0") }

// samePrompt reports whether the text left of the cursor is the learned prompt and nothing else: equal but for digits, or but for
// its path, which must be that of the working directory.
func samePrompt(learned, now promptLine) bool {
	last, _ := utf8.DecodeLastRuneInString(learned.left)
	switch {
	case now.left == learned.left:
		return true
	case unicode.IsDigit(last): // a digit more would be something typed
		return false
	case fold(now.left) == fold(learned.left):
		return true
	}
	return samePath(learned.left, learned.path, now.left, now.path, true)
}

// cutPrompt takes the learned prompt off the beginning of a line that goes on.
func cutPrompt(line, prompt string) (typed string, ok bool) {
	folded := fold(prompt)
	for size := range line {
		head := fold(line[:size])
		if len(head) > len(folded) {
			break
		}
		if size > 0 && head == folded && !splitsDigits(line, size) {
			return line[size:], true
		}
	}
	return "", false
}

// splitsDigits reports whether a number goes on at an offset, so that it has not been folded whole.
func splitsDigits(line string, at int) bool {
	return unicode.IsDigit(rune(line[at-1])) && unicode.IsDigit(rune(line[at]))
}

// token is a path as prompts show it: whole, from the home directory, shortened, or its last part alone.
var token = regexp.MustCompile(`[\pL\pN_.~/+…-]+`)

// samePath reports whether two prompts differ in one path alone, and each shows the directory of its time. If what was typed would
// follow at once, a sign must end the path, or what was typed would be taken for it.
func samePath(before, beforePath, now, nowPath string, ends bool) bool {
	for _, span := range token.FindAllStringIndex(before, -1) {
		head, tail := before[:span[0]], before[span[1]:]
		if !shows(before[span[0]:span[1]], beforePath) || ends && !strings.ContainsFunc(tail, isSign) {
			continue
		}
		for _, other := range token.FindAllStringIndex(now, -1) {
			if shows(now[other[0]:other[1]], nowPath) && fold(now[:other[0]]) == fold(head) && fold(now[other[1]:]) == fold(tail) {
				return true
			}
		}
	}
	return false
}

func isSign(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// shows reports whether a token can stand for a directory.
func shows(token, directory string) bool {
	return directory != "" && (token == "~" || path.Base(token) == path.Base(directory))
}

// searches are the prompts of incremental search, of an argument and of a pager's search, on the row of the cursor or, in zsh
// and fish, below it. Source: bash 5.2, zsh 5.9, fish 3.6, mksh, busybox 1.35.
var searches = regexp.MustCompile(`(?m)(i-search\)?[:\x60'(]|reverse-i-search|(bck|fwd)-i-search|^I-search|I-search:|\(arg: |^search: |^execute: |\^R)`)

func (l promptLine) searching() bool {
	return searches.MatchString(l.left+l.text()) || searches.MatchString(l.below)
}

// continuations are the prompts of a command that goes on: the PS2 of all shells, and what zsh names.
var continuations = regexp.MustCompile(`^(> ?|((quote|dquote|bquote|heredoc|heredocd|if|then|elif|else|elif-then|for|foreach|while|until|` +
	`select|repeat|case|function|cmdsubst|mathsubst|subsh|cursh|array|cond|cmdand|cmdor|pipe|errpipe|math|braceparam|always) ?)+> )`)

// continues reports whether the line begins with a prompt that only continues a command. A lone ">" may be a prompt of its own.
func (l promptLine) continues() bool {
	return len(continuations.FindString(l.left)) > len("> ")
}

// ambiguous reports whether a prompt cannot be told from one that continues a command. Fish has none of those.
func (l promptLine) ambiguous() bool {
	return l.command != string(Fish) && continuations.FindString(l.left) == l.left
}

// terminators end prompts.
const terminators = "$%#>❯»➜❱›λ"

// promptlike reports whether the row ends at the cursor and like a prompt, does not hold a prompt with something behind it, and
// does not begin like the end of something wrapped.
func (l promptLine) promptlike() bool {
	text := strings.TrimSuffix(l.left, " ")
	last, size := utf8.DecodeLastRuneInString(text)
	return l.below == "" && l.text() == "" && strings.ContainsRune(terminators, last) &&
		!strings.HasPrefix(text, " ") && !strings.ContainsAny(text[:len(text)-size], terminators) && !l.ambiguous() && !l.continues()
}
