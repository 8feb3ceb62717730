package tmux

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// namedKeys are the keys that have names, in lower case: tmux compares them without case. Source: tmux's key-string.c;
// the mouse's are left out.
var namedKeys = map[string]bool{
	"up": true, "down": true, "left": true, "right": true, "home": true, "end": true, "space": true, "tab": true, "btab": true,
	"bspace": true, "enter": true, "escape": true, "ic": true, "insert": true, "dc": true, "delete": true,
	"npage": true, "pagedown": true, "pgdn": true, "ppage": true, "pageup": true, "pgup": true,
	"kp/": true, "kp*": true, "kp-": true, "kp+": true, "kp.": true, "kpenter": true,
	"kp0": true, "kp1": true, "kp2": true, "kp3": true, "kp4": true, "kp5": true, "kp6": true, "kp7": true, "kp8": true, "kp9": true,
}

// noControl are the characters with which tmux knows no C- before 3.5.
const noControl = `"$%&*{|}~`

// IsKey reports whether every supported tmux reads name as one key: a character, a named key, F1 to F12, with the modifiers C-, M-
// and S- before it, or ^ before all. What is none, tmux types letter by letter.
func IsKey(name string) bool {
	control := len(name) > 1 && name[0] == '^'
	if control {
		name = name[1:]
	}
	for len(name) > 2 && name[1] == '-' && strings.ContainsRune("CcMmSs", rune(name[0])) {
		control = control || name[0]|0x20 == 'c'
		name = name[2:]
	}
	if r, size := utf8.DecodeRuneInString(name); size == len(name) && r != utf8.RuneError {
		return unicode.IsPrint(r) && !(control && strings.ContainsRune(noControl, r))
	}
	lower := strings.ToLower(name)
	if digits, ok := strings.CutPrefix(lower, "f"); ok {
		n, err := strconv.Atoi(digits)
		return err == nil && n >= 1 && n <= 12 && digits == strconv.Itoa(n)
	}
	return namedKeys[lower]
}

// IsStopKey reports whether a key ends or interrupts what runs in the foreground: C-c, C-\ and C-d.
func IsStopKey(name string) bool {
	switch strings.Replace(strings.ToLower(name), "^", "c-", 1) {
	case "c-c", `c-\`, "c-d":
		return true
	}
	return false
}
