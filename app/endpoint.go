package app

import (
	"fmt"
	"regexp"
)

// DefaultEndpoint is the alias of a server that nobody gave another.
const DefaultEndpoint = "local"

// endpointForm are the letters of an endpoint, all of which stand in a URI as they are.
var endpointForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// CheckEndpoint refuses an alias that cannot stand in the URIs of resources, tmux://{endpoint}/..., or would be another resource there.
func CheckEndpoint(name string) error {
	switch {
	case !endpointForm.MatchString(name):
		return fmt.Errorf("%.130q is not 1 to 128 letters, digits, _ . or -", name)
	case name == "capabilities":
		return fmt.Errorf("%q is the name of a resource: choose another", name)
	}
	return nil
}
