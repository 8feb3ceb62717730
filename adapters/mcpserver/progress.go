package mcpserver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a call that is at work says so, well within the promised 5 s.
const progressEvery = 4 * time.Second

// report notifies progress while a call is at work, if the client asked for it, so that its timeout can start anew.
// The end that it returns waits until nothing more will be notified.
func (h handler) report(ctx context.Context, request *mcp.CallToolRequest) (end func()) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	started := time.Now()
	ticker := time.NewTicker(progressEvery)
	var reporting sync.WaitGroup
	reporting.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			elapsed := time.Since(started).Round(time.Second)
			err := request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      elapsed.Seconds(),
				Message:       fmt.Sprintf("%s at work for %v", h.tool.Name, elapsed),
			})
			if err != nil {
				h.options.Logger.DebugContext(ctx, "no more progress for this call", "tool", h.tool.Name, "error", err)
				return
			}
		}
	})
	return func() {
		cancel()
		reporting.Wait()
	}
}
