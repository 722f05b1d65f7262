import { platform } from 'node:os'
// oxlint-disable-next-line no-restricted-imports -- signals to a process group have no other API; nothing else of the process is touched
import { kill } from 'node:process'
import type { Clock } from '@troupe/schema'

const POLL = 20
const AFTER_END_OF_INPUT = 500
const AFTER_TERMINATE = 1000
const AFTER_KILL = 500

/** A process and its descendants. On Windows, which has no process groups, only the process. */
export interface ProcessGroup {
  /** Sends a signal to every member. Does nothing if none is left. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void
  /** Returns false once no member is left, and from then on, because the PID may be reused. */
  alive(): boolean
}

/** Returns the group led by a process that was spawned as `detached`. */
export function processGroup(pid: number): ProcessGroup {
  const target = platform() === 'win32' ? pid : -pid
  let gone = false

  function send(signal: 'SIGTERM' | 'SIGKILL' | 0): void {
    if (gone) return
    try {
      kill(target, signal)
    } catch (thrown) {
      // EPERM: a member runs as another user, so the group exists; any other error: it is gone
      gone = (thrown as { readonly code?: unknown }).code !== 'EPERM'
    }
  }

  return {
    signal: send,
    alive() {
      send(0)
      return !gone
    },
  }
}

/**
 * Ends a group gracefully: closes its input and waits 500 ms if `endInput` is given, then SIGTERM, 1 s,
 * SIGKILL. Resolves when the group has ended, at the latest 500 ms after SIGKILL. Never rejects.
 */
export async function endProcessGroup(
  group: ProcessGroup,
  options: { readonly clock: Clock; readonly endInput?: () => void },
): Promise<void> {
  const { clock, endInput } = options
  endInput?.()
  if (await endsWithin(group, { clock, ms: endInput === undefined ? 0 : AFTER_END_OF_INPUT })) return
  group.signal('SIGTERM')
  if (await endsWithin(group, { clock, ms: AFTER_TERMINATE })) return
  group.signal('SIGKILL')
  await endsWithin(group, { clock, ms: AFTER_KILL })
}

async function endsWithin(
  group: ProcessGroup,
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
): Promise<boolean> {
  const until = clock.monotonic() + ms
  while (group.alive()) {
    if (clock.monotonic() >= until) return false
    await sleep(clock, POLL)
  }
  return true
}

/** Resolves after `ms` milliseconds of `clock`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve)
  })
}
