package tmux

import (
	"fmt"
	"strings"
	"unicode"
)

// greatestChannel is how many bytes the name of a channel may have.
const greatestChannel = 128

// CheckChannel checks the name of a channel of tmux's wait-for. tmux itself takes anything.
func CheckChannel(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("channel is empty")
	case len(name) > greatestChannel:
		return fmt.Errorf("channel has %d bytes, more than %d", len(name), greatestChannel)
	}
	if i := strings.IndexFunc(name, unicode.IsControl); i >= 0 {
		return fmt.Errorf("channel %q holds a control character", name)
	}
	return nil
}
