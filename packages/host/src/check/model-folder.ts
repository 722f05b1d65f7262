import { resolve } from 'node:path'
import type { ModelSettings } from '../config/model-settings.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { HostOptions } from '../host-types.ts'
import type { Entry } from '../team/find-entry.ts'
import type { Team, TeamMember } from '../team/load-team.ts'

/** Where the name of a model was written that a run asks in place of others: the configuration, a card, or nowhere. */
export function folderOfModel(
  id: string,
  {
    team,
    folder,
    settings,
    cwd,
  }: {
    readonly team: Team
    /** That of the configuration, and what it says of models. */
    readonly folder: string
    readonly settings: ModelSettings
    readonly cwd: string
  },
): string {
  if (Object.hasOwn(settings.words, id) || settings.model?.includes(id) === true) return folder
  const cards = [...team.members.values()].map(({ card }) => card)
  return cards.find(({ definition }) => definition?.model.includes(id))?.folder ?? cwd
}

/** Where the model of an agent is named. */
export type ModelOrigin = 'option' | 'card' | 'configuration'

/** Who names the model of an agent, where anybody does. */
export function modelOrigin(
  { card }: TeamMember,
  { options, entry }: { readonly options: HostOptions; readonly entry: Entry },
): ModelOrigin {
  const isEntry = 'name' in entry && entry.name === card.definition?.name
  if (options.model !== undefined || (isEntry && Object.hasOwn(options.set ?? {}, 'model'))) return 'option'
  return (card.definition?.model.length ?? 0) > 0 ? 'card' : 'configuration'
}

/** A script is looked for beside where its name was written: the command line, the card, or the configuration. */
export function modelFolder(
  { card }: TeamMember,
  origin: ModelOrigin,
  { options, config }: { readonly options: HostOptions; readonly config: LoadedConfig },
): string {
  if (origin === 'option') return resolve(options.cwd)
  return origin === 'card' ? card.folder : config.folder
}
