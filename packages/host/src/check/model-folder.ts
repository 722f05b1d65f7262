import { resolve } from 'node:path'
import type { ConfiguredModels } from '../config/configured-models.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { HostOptions } from '../host-types.ts'
import type { TeamEntry } from '../team/find-entry.ts'
import type { Team, TeamMember } from '../team/load-team.ts'

/**
 * Returns the folder for a model that a run requests instead of those of the cards: the folder of the
 * configuration or card that names it, else `cwd`.
 */
export function folderOfModel(
  id: string,
  {
    team,
    folder,
    settings,
    cwd,
  }: {
    readonly team: Team
    /** Folder of the configuration. */
    readonly folder: string
    readonly settings: ConfiguredModels
    readonly cwd: string
  },
): string {
  if (Object.hasOwn(settings.aliases, id) || settings.model?.includes(id) === true) return folder
  const cards = [...team.members.values()].map(({ card }) => card)
  return cards.find(({ definition }) => definition?.model.includes(id))?.folder ?? cwd
}

/** Source of the model of an agent. */
export type ModelOrigin = 'option' | 'card' | 'configuration'

/** Returns where the model of an agent is set; `configuration` also if it is set nowhere. */
export function modelOrigin(
  { card }: TeamMember,
  { options, entry }: { readonly options: HostOptions; readonly entry: TeamEntry },
): ModelOrigin {
  const isEntry = 'name' in entry && entry.name === card.definition?.name
  if (options.model !== undefined || (isEntry && Object.hasOwn(options.set ?? {}, 'model'))) return 'option'
  return (card.definition?.model.length ?? 0) > 0 ? 'card' : 'configuration'
}

/** Returns the folder against which script models resolve: the one of the source that names the model. */
export function modelFolder(
  { card }: TeamMember,
  origin: ModelOrigin,
  { options, config }: { readonly options: HostOptions; readonly config: LoadedConfig },
): string {
  if (origin === 'option') return resolve(options.cwd)
  return origin === 'card' ? card.folder : config.folder
}
