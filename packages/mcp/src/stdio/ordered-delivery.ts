import type { JSONRPCMessage } from '@modelcontextprotocol/client'

/**
 * Delivers messages in order and pauses for a microtask after each notification. The SDK handles
 * notifications asynchronously and drops the progress handler with the response, so the last progress would
 * be lost otherwise. A large message is delivered in the next turn of the event loop, so that other work can
 * run after parsing.
 */
export function orderedDelivery(
  deliver: (message: JSONRPCMessage) => void,
): (message: JSONRPCMessage, options?: { readonly isLarge: boolean }) => void {
  const waiting: JSONRPCMessage[] = []
  let paused = false

  function pass(message: JSONRPCMessage): void {
    deliver(message)
    if ('id' in message) return
    paused = true
    queueMicrotask(resume)
  }

  function resume(): void {
    paused = false
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      pass(next)
      if (paused) return
    }
  }

  return (message, options) => {
    if (options?.isLarge === true && !paused) {
      paused = true
      setImmediate(resume)
    }
    if (paused) waiting.push(message)
    else pass(message)
  }
}
