// Command twice runs "go test" with its own arguments, and once more, alone, each test that failed: one that passes then has passed,
// and is named at the end. It prints each test with its time, and in full whatever failed, the first time too. It fails if a test
// failed twice, if one was skipped, because what cannot run here has not passed, and if the tests did not come to their end.
//
//	go run ./integration/twice -tags integration ./integration
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var tops []matrix.Top
	err := matrix.Twice(func(name string, ended func(matrix.Top)) error {
		return goTest(ctx, name, func(top matrix.Top) {
			if name == "" && top.Outcome == matrix.Failed {
				fmt.Printf("--- %s FAILED\n", top.Name) // what it said follows when it ran again
			}
			ended(top)
		})
	}, func(top matrix.Top) {
		tops = append(tops, top)
		fmt.Printf("--- %s %s: %v\n", top.Name, top.Outcome, top)
	})
	result := matrix.Result{Tests: tops}
	total, again := matrix.Total(tops), result.SecondTime()
	fmt.Printf("%d passed, %d failed, %d skipped, of %d tests; failed, and passed the second time: %d %s\n",
		total.Passed, total.Failed, total.Skipped, len(tops), len(again), strings.Join(again, ", "))
	if err != nil {
		fmt.Println(err)
	}
	if err != nil || total.Failed+total.Skipped > 0 {
		os.Exit(1)
	}
}

// goTest runs the tests, or that of a name alone.
func goTest(ctx context.Context, name string, ended func(matrix.Top)) error {
	argv := []string{"test", "-json"}
	if name != "" {
		argv = append(argv, "-run", "^"+name+"$", "-parallel", "1")
	}
	cmd := exec.CommandContext(ctx, "go", append(argv, os.Args[1:]...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	failed := false
	stray, err := matrix.ReadTests(events, func(top matrix.Top) {
		failed = failed || top.Outcome == matrix.Failed
		ended(top)
	})
	ending := cmd.Wait()
	if err == nil && !failed {
		err = ending
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w; it printed:\n%s", err, stray), ctx.Err())
	}
	return nil
}
