import { resolve } from 'node:path'
import type { Runtime } from '@troupe/runtime'
import type { TeamChanges } from '@troupe/schema'
import { NO_CODE, type CodeServices } from '../code/load-code.ts'
import { loadCodes } from '../code/load-codes.ts'
import type { Environments } from '../config/environments.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { HostOptions } from '../host-types.ts'
import type { FoundTeam } from '../team/read-team.ts'
import { checkAgent, type CheckedAgent } from './check-agent.ts'
import { folderOfModel, modelFolder } from './model-folder.ts'
import { createModelChecks } from './model-checks.ts'

/** Checks every agent of a team, by name; the code that cards name is loaded for it. */
export async function checkTeam(
  { team, entry }: FoundTeam,
  parts: {
    readonly options: HostOptions
    readonly config: LoadedConfig
    readonly environments: Environments
    readonly runtime: Runtime
    readonly services: CodeServices
    readonly changes: TeamChanges
  },
): Promise<ReadonlyMap<string, CheckedAgent>> {
  const { options, config, environments, runtime, services, changes } = parts
  const { members } = team
  const codes = await loadCodes(team, { options, services })
  const checkModel = createModelChecks(config.config.providers)
  const { model } = changes
  const cwd = resolve(options.cwd)
  const chosenFolder = model === undefined ? undefined : folderOfModel(model, { team, config, cwd })
  return new Map(
    [...members].map(([name, member]) => [
      name,
      checkAgent(member, {
        config,
        environment: environments.of(member.card.folder),
        modelFolder: chosenFolder ?? modelFolder(member, { options, config, entry }),
        models: options.models ?? {},
        checkModel,
        runtime,
        code: codes.get(name) ?? NO_CODE,
        children: member.children.flatMap((child) => members.get(child)?.definition ?? []),
      }),
    ]),
  )
}
