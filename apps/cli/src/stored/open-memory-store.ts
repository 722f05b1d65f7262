import type { RunStore } from '@troupe/schema'
import type { CommandContext } from '../context.ts'

/** What is lost with the process, but can be followed, stopped and gone on with until then. */
export async function openMemoryStore({ clock }: Pick<CommandContext, 'clock'>): Promise<RunStore> {
  const { createMemoryStore } = await import('@troupe/store')
  return createMemoryStore({ clock })
}
