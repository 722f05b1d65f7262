import type { JSONRPCMessage } from '@modelcontextprotocol/client'

/**
 * Passes messages on in their order, with a moment after each notification. The SDK handles notifications a moment later than
 * answers and forgets the progress of a call with its answer: without the pause the last progress would be lost. A large message is delivered in a turn of the event
 * loop after that in which it was parsed, so that other work gets in between.
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
    queueMicrotask(goOn)
  }

  function goOn(): void {
    paused = false
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      pass(next)
      if (paused) return
    }
  }

  return (message, options) => {
    if (options?.isLarge === true && !paused) {
      paused = true
      setImmediate(goOn)
    }
    if (paused) waiting.push(message)
    else pass(message)
  }
}
