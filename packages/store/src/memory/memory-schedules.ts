import { MAX_FIRINGS, type Firing, type ScheduleTable, type StoredSchedule } from '@troupe/schema/ports'

interface MemoryFiring {
  readonly runId: string
  state: Firing['state']
  owner: string | undefined
  /** Time of the claim. */
  claimedAt: number
}

interface MemorySchedule {
  stored: StoredSchedule | undefined
  /** By due time. */
  readonly firings: Map<number, MemoryFiring>
}

/** Creates a table of schedules that holds them in this process. */
export function createMemorySchedules(): ScheduleTable {
  const schedules = new Map<string, MemorySchedule>()

  function find(name: string): MemorySchedule {
    const known = schedules.get(name)
    if (known !== undefined) return known
    const schedule: MemorySchedule = { stored: undefined, firings: new Map() }
    schedules.set(name, schedule)
    return schedule
  }

  return {
    list: () =>
      [...schedules.values()]
        .flatMap(({ stored }) => stored ?? [])
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    register({ name, definition, now }) {
      const schedule = find(name)
      if (schedule.stored?.definition === definition) return
      const { isPaused = false } = schedule.stored ?? {}
      schedule.stored = { name, definition, isPaused, handledUntil: now }
    },
    setPaused(name, isPaused, now) {
      const { stored } = find(name)
      if (stored === undefined) return false
      if (stored.isPaused !== isPaused)
        find(name).stored = { ...stored, isPaused, handledUntil: isPaused ? stored.handledUntil : now }
      return true
    },
    add(name, firings, handledUntil = 0) {
      const schedule = find(name)
      for (const { due, runId, state } of firings)
        if (!schedule.firings.has(due))
          schedule.firings.set(due, { runId, state, owner: undefined, claimedAt: 0 })
      const { stored } = schedule
      if (stored !== undefined)
        schedule.stored = { ...stored, handledUntil: Math.max(stored.handledUntil, handledUntil) }
      const settled = [...schedule.firings].filter(([, { state }]) => !isOpen(state))
      for (const [due] of settled.toSorted(([a], [b]) => b - a).slice(MAX_FIRINGS))
        schedule.firings.delete(due)
    },
    claim({ schedule: name, due }, { owner, now, expiredBefore }) {
      const { firings } = find(name)
      const isHeld = ({ state, claimedAt }: MemoryFiring): boolean =>
        state === 'claimed' && claimedAt >= expiredBefore
      const firing = firings.get(due)
      if (firing === undefined || !isOpen(firing.state) || [...firings.values()].some(isHeld)) return false
      Object.assign(firing, { state: 'claimed', owner, claimedAt: now })
      return true
    },
    settle({ schedule: name, due }, owner, state) {
      const firing = find(name).firings.get(due)
      if (firing?.state === 'claimed' && firing.owner === owner) firing.state = state
    },
    firings: ({ schedule: name, states, limit }) =>
      [...schedules]
        .filter(([schedule]) => name === undefined || schedule === name)
        .flatMap(([schedule, { firings }]) =>
          [...firings].map(([due, { runId, state }]) => ({ schedule, due, runId, state })),
        )
        .filter(({ state }) => states === undefined || states.includes(state))
        .toSorted((a, b) => b.due - a.due || (a.schedule < b.schedule ? -1 : 1))
        .slice(0, limit),
  }
}

function isOpen(state: Firing['state']): boolean {
  return state === 'waiting' || state === 'claimed'
}
