import { platform } from 'node:os'
// oxlint-disable-next-line no-restricted-imports -- signals to a process group have no other API; nothing else of the process is touched
import { kill } from 'node:process'
import type { Clock } from '@troupe/schema'
import { sleep } from './sleep.ts'

const POLL = 20
const AFTER_END_OF_INPUT = 500
const AFTER_TERMINATE = 1000
const AFTER_KILL = 500

/** A process of ours and all that it started. On Windows, which has no groups, the process alone. */
export interface ProcessGroup {
  /** Reaches every member; nothing happens when none is left. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void
  /** False once no member is left, and for ever after: the number may then belong to somebody else. */
  alive(): boolean
}

/** The group led by a process that was spawned `detached`. */
export function processGroup(pid: number): ProcessGroup {
  const target = platform() === 'win32' ? pid : -pid
  let gone = false

  function send(signal: 'SIGTERM' | 'SIGKILL' | 0): void {
    if (gone) return
    try {
      kill(target, signal)
    } catch (thrown) {
      // EPERM: a member runs as somebody else, so the group is there; anything else: it is not
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
 * Ends a group the polite way first: end of input and 500 ms where `endInput` is given, SIGTERM, 1 s, SIGKILL. Resolves when the group
 * is gone, at the latest half a second after SIGKILL. Never rejects.
 */
export async function endProcessGroup(
  group: ProcessGroup,
  options: { readonly clock: Clock; readonly endInput?: () => void },
): Promise<void> {
  const { clock, endInput } = options
  endInput?.()
  if (await goneWithin(group, { clock, ms: endInput === undefined ? 0 : AFTER_END_OF_INPUT })) return
  group.signal('SIGTERM')
  if (await goneWithin(group, { clock, ms: AFTER_TERMINATE })) return
  group.signal('SIGKILL')
  await goneWithin(group, { clock, ms: AFTER_KILL })
}

async function goneWithin(
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
