package tmux

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An optionRule says where an option may be set, and to what.
type optionRule struct {
	levels []Kind // the empty kind is global
	values []string
	number bool // a whole number from 0 on
}

// optionRules are the options that may be set, beside those of the user's own. Source: tmux's options-table.c.
var optionRules = map[string]optionRule{
	"mouse":             {levels: []Kind{"", KindSession}, values: []string{"on", "off"}},
	"history-limit":     {levels: []Kind{"", KindSession}, number: true},
	"remain-on-exit":    {levels: []Kind{"", KindWindow, KindPane}, values: []string{"on", "off", "failed"}},
	"synchronize-panes": {levels: []Kind{KindWindow, KindPane}, values: []string{"on", "off"}},
	"monitor-activity":  {levels: []Kind{"", KindWindow}, values: []string{"on", "off"}},
}

// greatestHistoryLimit is in rows.
const greatestHistoryLimit = 1_000_000

var userOption = regexp.MustCompile(`^@[A-Za-z0-9_-]{1,64}$`)

// IsUserOption reports whether a name is that of an option of the user's own, without an index.
func IsUserOption(name string) bool { return userOption.MatchString(name) }

// CheckOption refuses an option that is not to be set, a level where it cannot be, and a value that it does not take. The level is
// the kind of the target, empty if it is global.
func CheckOption(name, value string, level Kind) error {
	if IsUserOption(name) {
		return nil
	}
	rule, known := optionRules[name]
	if !known {
		return fmt.Errorf("%.64q is none of the options that may be set: mouse, history-limit, remain-on-exit, synchronize-panes, monitor-activity, @names", name)
	}
	if !slices.Contains(rule.levels, level) {
		return fmt.Errorf("%s is not an option of %s", name, levelName(level))
	}
	if rule.number {
		if n, err := strconv.Atoi(value); err != nil || n < 0 || n > greatestHistoryLimit || strconv.Itoa(n) != value {
			return fmt.Errorf("%s is a number from 0 to %d, not %.64q", name, greatestHistoryLimit, value)
		}
		return nil
	}
	if !slices.Contains(rule.values, value) {
		return fmt.Errorf("%s is one of %s, not %.64q", name, strings.Join(rule.values, ", "), value)
	}
	return nil
}

func levelName(level Kind) string {
	if level == "" {
		return "the whole server: pass target_id"
	}
	return "a " + string(level)
}
