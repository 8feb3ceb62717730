//go:build integration

package integration_test

import (
	"slices"
	"strings"
)

// A promptStyle is one prompt of one shell. The corpus shows it in every promptState that its shell has.
//
// The set of a style was fixed before the judgement of drafts was written and must not change: the rules were tuned on the tuned
// ones. The held-out ones were then judged unseen (none of their drafts was called empty, a quarter of their empty prompts unknown)
// and showed what was missing; the fresh ones were written after that, and no rule was changed for them.
type promptStyle struct {
	name  string
	set   string
	shell string
	rc    string // what the shell reads at its start; it sets the prompt
}

const (
	tuned   = "tuned"
	heldOut = "held out"
	fresh   = "fresh"
)

var promptStyles = []promptStyle{
	{"bash plain", tuned, "bash", `PS1='$ '`},
	{"bash two lines", tuned, "bash", `PS1='┌─[\u@\h] \w\n└─\$ '`},
	{"bash git", tuned, "bash", `PS1='\W (main) ❯ '`},
	{"bash blank", tuned, "bash", `PS1=''`},
	{"bash history number", tuned, "bash", `PS1='\!'`},
	{"bash vi", tuned, "bash", "PS1='$ '; set -o vi; bind 'set show-mode-in-prompt on'"},
	{"bash without editing", tuned, "bash --noediting", `PS1='$ '`},
	{"zsh plain", tuned, "zsh", `PS1='%# '`},
	{"zsh right clock", tuned, "zsh", `PS1='%# ' RPROMPT='%*'`},
	{"zsh colour git", tuned, "zsh", `PS1='%F{cyan}%~%f %F{yellow}(main)%f %B❯%b '`},
	{"zsh suggestions", tuned, "zsh", `PS1='%m %# '
suggest() { if [[ -n $BUFFER ]]; then POSTDISPLAY=' --suggested'; region_highlight=("$#BUFFER $(($#BUFFER+12)) fg=8"); else POSTDISPLAY=; fi }
zle -N zle-line-pre-redraw suggest`},
	{"fish default", tuned, "fish", ``},
	{"fish two lines", tuned, "fish", `function fish_prompt; echo (prompt_pwd)' on main'; echo -n '❯ '; end`},
	{"mksh default", tuned, "mksh", ``},
	{"dash plain", tuned, "dash", `PS1='$ '`},
	{"busybox path", tuned, "busybox ash", `PS1='\w \$ '`},
	{"ksh93 path", tuned, "ksh93", `PS1='$PWD $ '`},

	{"bash colour", heldOut, "bash", `PS1='\[\e[1;32m\]\u@\h\[\e[0m\]:\[\e[1;34m\]\w\[\e[0m\]\$ '`},
	{"bash clock", heldOut, "bash", `PS1='[\t] \$ '`},
	{"bash basename", heldOut, "bash", `PS1='[\u@\h \W]\$ '`},
	{"bash wraps", heldOut, "bash", `PS1='a-very-long-prompt-that-some-framework-made-of-all-it-knows-of-this-machine-and-the-weather-today \w \$ '`},
	{"bash like PS2", heldOut, "bash", `PS1='> '`},
	{"bash status", heldOut, "bash", `PS1='$? \$ '`},
	{"bash one blank", heldOut, "bash", `PS1=' '`},
	{"bash ends in newline", heldOut, "bash", `PS1='\w\n'`},
	{"bash emoji", heldOut, "bash", `PS1='🚀 \w » '`},
	{"bash right clock", heldOut, "bash", `PS1='\[\e7\e[70G\t\e8\]\$ '`},
	{"bash path without blank", heldOut, "bash", `PS1='\w>'`},
	{"zsh right path", heldOut, "zsh", `PS1='%# ' RPROMPT='%~'`},
	{"zsh two lines", heldOut, "zsh", "PS1=$'%n@%m %~\\n❯ '"},
	{"zsh hint", heldOut, "zsh", `PS1='%m %# '
hint() { if [[ -z $BUFFER ]]; then POSTDISPLAY='type a command'; region_highlight=("0 14 fg=8"); else POSTDISPLAY=; region_highlight=(); fi }
zle -N zle-line-pre-redraw hint; zle -N zle-line-init hint`},
	{"zsh grey comments", heldOut, "zsh", `PS1='%~ %# '
grey() { if [[ $BUFFER == '#'* ]]; then region_highlight=("0 $#BUFFER fg=8"); else region_highlight=(); fi }
zle -N zle-line-pre-redraw grey`},
	{"zsh vi", heldOut, "zsh", `PS1='%# '; bindkey -v; KEYTIMEOUT=1
zle-keymap-select() { RPROMPT=${KEYMAP/vicmd/NORMAL}; RPROMPT=${RPROMPT/(main|viins)/INSERT}; zle reset-prompt }
zle-line-init() { RPROMPT=INSERT; zle reset-prompt }
zle -N zle-keymap-select; zle -N zle-line-init`},
	{"zsh powerline", heldOut, "zsh", "PS1=$'%K{blue} %n %K{green}%F{blue}\\ue0b0%f %~ %k%F{green}\\ue0b0%f '"},
	{"fish like PS2", heldOut, "fish", `function fish_prompt; echo -n '> '; end`},
	{"fish right clock", heldOut, "fish", `function fish_right_prompt; date +%H:%M:%S; end`},
	{"mksh path", heldOut, "mksh", `PS1='$PWD $ '`},
	{"dash path", heldOut, "dash", `PS1='$PWD # '`},
	{"busybox plain", heldOut, "busybox ash", `PS1='$ '`},
	{"ksh93 plain", heldOut, "ksh93", `PS1='$ '`},

	{"bash coloured background", fresh, "bash", `PS1='\[\e[48;5;31;38;5;15m\] \w \[\e[0m\] '`},
	{"bash three lines", fresh, "bash", `PS1='\n\u in \w\nat \t\n» '`},
	{"bash percentage", fresh, "bash", `PS1='87% \w \$ '`},
	{"bash wide", fresh, "bash", `PS1='日本 \W % '`},
	{"zsh arrow", fresh, "zsh", `PS1='%B%F{green}➜%f  %F{cyan}%c%f%b git:(main) '`},
	{"zsh right status", fresh, "zsh", `PS1='%n:%c %# ' RPROMPT='%(?..%F{red}%?%f )%F{8}%T%f'`},
	{"fish right path", fresh, "fish", `function fish_prompt; date +'%H:%M'; echo -n '➜ '; end; function fish_right_prompt; echo -n (prompt_pwd); end`},
	{"mksh colour", fresh, "mksh", `PS1=$'\e[32muser\e[0m:$PWD# '`},
	{"busybox clock", fresh, "busybox ash", `PS1='\t \w \$ '`},
	{"ksh93 number", fresh, "ksh93", `PS1='[!] $ '`},
	{"dash two lines", fresh, "dash", "PS1='$PWD\n$ '"},
}

// A promptState is a way to get from an empty prompt to some other state of it. A step is "text X" (typed), "line X" (typed, and
// Enter), "key X" (tmux's name), "wait X" (until it is on the screen) or "width N" (of the pane).
type promptState struct {
	name  string
	truth truth
	in    func(promptStyle) bool
	steps []string
}

// A truth is what is really at a prompt.
type truth string

const (
	empty  truth = "empty"
	draft  truth = "draft"  // something is typed, or the shell would read what comes otherwise than at a fresh prompt
	blanks truth = "blanks" // blanks right of the cursor, which nothing on the screen tells from an erased word: either judgement does
)

func anyShell(promptStyle) bool { return true }

// editing shells have a line editor, so that the cursor moves, with the keys of Emacs.
func editing(p promptStyle) bool {
	return p.shell != "dash" && p.shell != "bash --noediting" && !vi(p)
}

func vi(p promptStyle) bool { return strings.HasSuffix(p.name, " vi") }

// posix shells continue a command on a line with a prompt of its own.
func posix(p promptStyle) bool { return p.shell != "fish" }

func editingIn(shells ...string) func(promptStyle) bool {
	return func(p promptStyle) bool { return editing(p) && slices.Contains(shells, p.shell) }
}

const long = `echo once upon a time there was a line that did not fit into a row of this terminal, nor into two rows, so that it ` +
	`went on and on until it ended, as all lines do`

var promptStates = []promptState{
	{"after a command", empty, anyShell, []string{"line true"}},
	{"one character", draft, anyShell, []string{"text l"}},
	{"a word", draft, anyShell, []string{"text ls"}},
	{"a word erased", empty, anyShell, []string{"text ls", "key BSpace", "key BSpace"}},
	{"a word killed", empty, anyShell, []string{"text ls", "key C-u"}},
	{"blanks", draft, anyShell, []string{"text    "}},
	{"digits", draft, anyShell, []string{"text 42"}},
	{"a terminator", draft, anyShell, []string{"text $ "}},
	{"a redirection", draft, anyShell, []string{"text echo 1 > "}},
	{"a comment begun", draft, anyShell, []string{"text ls # "}},
	{"wide characters", draft, anyShell, []string{"text 日本語"}},
	{"after output", empty, anyShell, []string{"line echo some output"}},
	{"long text", draft, anyShell, []string{"text " + long}},
	{"long text of blanks at the edge", draft, anyShell, []string{"text " + "x                                                                                         $ "}},
	{"after C-c at a draft", empty, anyShell, []string{"text ls -l", "key C-c"}},
	{"after C-c", empty, anyShell, []string{"key C-c"}},
	{"Enter alone", empty, anyShell, []string{"line "}},
	{"an open quote", draft, posix, []string{"line echo 'open"}},
	{"an open quote and a blank line", draft, posix, []string{"line '", "line "}},
	{"a here document", draft, posix, []string{"line cat <<E", "line x"}},
	{"an open if", draft, posix, []string{"line if true"}},
	{"a block in the buffer", draft, editingIn("fish"), []string{"line if true", "line echo"}},
	{"after an open quote is closed", empty, posix, []string{"line : '", "line '"}},
	{"after many rows", empty, anyShell, []string{"line seq 1 60"}},
	{"a word below many rows", draft, anyShell, []string{"line seq 1 60", "text ls"}},
	{"after a failure", empty, anyShell, []string{"line false"}},
	{"a word after a failure", draft, anyShell, []string{"line false", "text ls"}},
	{"after the command clear", empty, anyShell, []string{"line clear"}},
	{"a word after clear", draft, anyShell, []string{"line clear", "text x"}},
	{"elsewhere", empty, anyShell, []string{"line cd elsewhere", "line true"}},
	{"a word elsewhere", draft, anyShell, []string{"line cd elsewhere", "text ls"}},
	{"a path elsewhere", draft, anyShell, []string{"line cd elsewhere", "text /elsewhere"}},
	{"like the prompt elsewhere", draft, anyShell, []string{"line cd elsewhere", "text ls>"}},
	{"deep elsewhere", empty, anyShell, []string{"line cd elsewhere/deep1", "line true"}},
	{"output without its newline", empty, anyShell, []string{"line printf abc"}},
	{"output into the prompt", empty, anyShell, []string{`line sh -c 'sleep 0.5; echo no""ise' &`, "wait noise"}},
	{"output into a draft", draft, anyShell, []string{`line sh -c 'sleep 0.7; echo cla""mor' &`, "text ls", "wait clamor"}},
	{"narrower", empty, anyShell, []string{"width 70"}},
	{"narrower, with a word", draft, anyShell, []string{"text ls", "width 70"}},
	{"wider, with long text", draft, anyShell, []string{"text " + long, "width 100"}},

	{"cursor at the beginning", draft, editing, []string{"text ls -l", "key C-a"}},
	{"cursor at the beginning of one character", draft, editing, []string{"text x", "key C-a"}},
	{"cursor at the beginning of blanks", blanks, editing, []string{"text    ", "key C-a"}},
	{"cursor at the beginning of a comment", draft, editing, []string{"text # note", "key C-a"}},
	{"cursor at the beginning of a path", draft, editing, []string{"text /elsewhere", "key C-a"}},
	{"cursor at the beginning of long text", draft, editing, []string{"text " + long, "key C-a"}},
	{"cursor one to the left", draft, editing, []string{"text ls", "key Left"}},
	{"cursor moved over a gap", draft, editing, []string{"text  ls", "key C-a"}},
	{"history", draft, editing, []string{"line echo older", "key Up"}},
	{"history, cursor at the beginning", draft, editing, []string{"line echo older", "key Up", "key C-a"}},
	{"history and back", empty, editing, []string{"line echo older", "key Up", "key Down"}},
	{"search", draft, editingIn("bash", "zsh", "fish", "mksh", "ksh93"), []string{"key C-r"}},
	{"search for text", draft, editingIn("bash", "zsh", "fish", "mksh", "ksh93"), []string{"line echo older", "key C-r", "text ol"}},
	{"cleared by C-l", empty, editing, []string{"key C-l"}},
	{"a word, cleared by C-l", draft, editing, []string{"text ls", "key C-l"}},
	{"a word, cleared, at the beginning", draft, editing, []string{"text ls", "key C-l", "key C-a"}},
	{"a word, and a list of completions", draft, editingIn("bash", "zsh", "fish"), []string{"text ls /u", "key Tab", "key Tab"}},
	{"a list of completions", draft, editingIn("bash", "zsh", "fish", "mksh"), []string{"text ls /s", "key Tab", "key Tab", "key Tab"}},
	{"an argument for a key", draft, editingIn("bash"), []string{"key M-3"}},
	{"an open quote, cleared by C-l", draft, editingIn("bash", "zsh"), []string{"line echo 'open", "key C-l"}},
	{"two lines", draft, editingIn("zsh", "fish"), []string{"text ls", "key M-Enter", "text pwd"}},
	{"two lines, cursor at the beginning", draft, editingIn("zsh", "fish"), []string{"text ls", "key M-Enter", "text pwd", "key Up", "key C-a"}},
	{"a blank line and another", draft, editingIn("zsh", "fish"), []string{"key M-Enter", "text pwd", "key Up"}},
	{"two lines, the second blank", draft, editingIn("zsh", "fish"), []string{"text ls", "key M-Enter"}},
	{"command mode", draft, vi, []string{"key Escape"}},
	{"command mode, with a word", draft, vi, []string{"text ls", "key Escape"}},
}
