package grammar

// viewersVariable is what stands between #{ and } to tell the clients that look at a window, each with a comma before it. Those without
// a terminal, which tmux calls client-PID, are left out: nobody sees through them, and they come and go with each wait.
const viewersVariable = "s/,(client-[0-9]+|$)//:,#{window_active_clients_list}"
