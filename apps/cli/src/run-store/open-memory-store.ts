import type { RunStore } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'

/** Opens a store in memory, so that runs can be followed, stopped and resumed until the process ends. */
export async function openMemoryStore({ clock }: Pick<CommandContext, 'clock'>): Promise<RunStore> {
  const { createMemoryStore } = await import('@troupe/store')
  return createMemoryStore({ clock })
}
