import { resolve } from 'node:path'
import type { LoadedConfig } from '../config/read-config.ts'
import type { HostOptions } from '../host-types.ts'
import type { Entry } from '../team/find-entry.ts'
import type { Team, TeamMember } from '../team/load-team.ts'

/** Where the name of a model was written that a run asks in place of others: the configuration, a card, or nowhere. */
export function folderOfModel(
  id: string,
  { team, config, cwd }: { readonly team: Team; readonly config: LoadedConfig; readonly cwd: string },
): string {
  const { models = {}, defaults } = config.config
  if (Object.hasOwn(models, id) || [defaults?.model].flat().includes(id)) return config.folder
  const cards = [...team.members.values()].map(({ card }) => card)
  return cards.find(({ definition }) => definition?.model.includes(id))?.folder ?? cwd
}

/** A script is looked for beside where its name was written: the command line, the card, or the configuration. */
export function modelFolder(
  { card }: TeamMember,
  {
    options,
    config,
    entry,
  }: { readonly options: HostOptions; readonly config: LoadedConfig; readonly entry: Entry },
): string {
  const isEntry = 'name' in entry && entry.name === card.definition?.name
  if (options.model !== undefined || (isEntry && Object.hasOwn(options.set ?? {}, 'model')))
    return resolve(options.cwd)
  return (card.definition?.model.length ?? 0) > 0 ? card.folder : config.folder
}
