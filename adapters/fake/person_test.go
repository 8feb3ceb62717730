package fake_test

import (
	"testing"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

func TestPersonContract(t *testing.T) {
	porttest.Person(t, func(_ *testing.T, answer ports.Answer) (ports.Person, func() []string) {
		person := &fake.Person{Will: answer}
		return person, func() []string {
			return lo.Map(person.Asked(), func(q ports.Question, _ int) string { return q.Text })
		}
	})
}
