import { cardJsonSchema } from '@troupe/cards'
import type { AgentProblem, CardSave, CardRepository, CardSource } from '@troupe/headends'
import { troupeError, type AgentDefinition } from '@troupe/schema'
import type { ServedHost } from '../runs/served-runner.ts'
import { readCardFile, toEditError, type CardWriter } from './card-files.ts'
import type { CardHistory } from './card-history.ts'
import { trialOverrides } from './trial-overrides.ts'

type CardRepositoryHost = Pick<ServedHost, 'plan' | 'definition' | 'redact' | 'checkEdit' | 'models'>

/** Creates a repository of the cards of a host as texts. Only local Markdown files with one agent can be edited. */
export function createCardRepository(
  host: CardRepositoryHost,
  { writer, history }: { readonly writer: CardWriter; readonly history: CardHistory },
): CardRepository {
  async function read(agent: string): Promise<CardSource> {
    const { name, source, instruction } = host.definition(agent)
    const card = { agent: name, file: source.path, prompt: host.redact(instruction) }
    if (source.kind !== 'file') return { ...card, readOnly: readOnlySource(source.kind) }
    const cards = host.plan().cards.filter(({ file }) => file === source.path)
    const { text, version } = await readCardFile(source.path)
    const shown = host.redact(text)
    const withText = { ...card, format: cards[0]?.dialect ?? 'troupe', text: shown }
    const readOnly = readOnlyFile(source.path, { isShared: cards.length > 1, hasSecret: shown !== text })
    return readOnly === undefined ? { ...withText, version } : { ...withText, readOnly }
  }

  /** Returns the path of a card that can be edited. Rejects with `card_read_only`. */
  async function requireEditable(agent: string): Promise<string> {
    const { file, readOnly } = await read(agent)
    if (readOnly !== undefined) throw troupeError('card_read_only', readOnly)
    return file
  }

  async function save(agent: string, { text, version }: CardSave): Promise<CardSource> {
    const file = await requireEditable(agent)
    const before = await readCardFile(file)
    if (version !== before.version)
      throw troupeError('card_changed', `${file} has changed since it was read.`)
    await writer.write(before, text)
    // The edit may have renamed the agent.
    return read(host.plan().cards.find((card) => card.file === file)?.agent ?? agent)
  }

  return {
    read,
    schema: cardJsonSchema,
    save: (agent, edit) => writer.inOrder(() => save(agent, edit)),
    async check(agent, text) {
      const file = await requireEditable(agent)
      const { plan } = await host.checkEdit({ path: file, text })
      const known = new Set(host.plan().problems.map((problem) => JSON.stringify(problem)))
      return plan.problems
        .filter((problem) => problem.file === file || !known.has(JSON.stringify(problem)))
        .map(({ agent: _agent, ...problem }): AgentProblem => problem)
    },
    async overrides(agent, text) {
      const file = await requireEditable(agent)
      const { plan, definitions } = await host.checkEdit({ path: file, text })
      const edited = definitions.find(({ name }) => name === agent)
      if (edited === undefined)
        throw toEditError(
          plan.problems.filter((problem) => problem.file === file && problem.severity === 'error'),
        )
      return trialOverrides(edited, { saved: host.definition(agent), models: knownModels(host) })
    },
    revisions: async (agent) => history.list(await localFile(agent, host)),
    revision: async (agent, id) => host.redact(await history.read(await localFile(agent, host), id)),
  }
}

/** Returns the models that the team uses or that a run may use instead. */
function knownModels(host: Pick<CardRepositoryHost, 'plan' | 'models'>): ReadonlySet<string> {
  return new Set([
    ...host.plan().agents.flatMap(({ models }) => models),
    ...host.models().map(({ id }) => id),
  ])
}

/** Returns the path of the card of an agent. Rejects with `card_read_only` if it has no local file. */
async function localFile(agent: string, host: Pick<CardRepositoryHost, 'definition'>): Promise<string> {
  const { source } = host.definition(agent)
  if (source.kind !== 'file') throw troupeError('card_read_only', readOnlySource(source.kind))
  return (await readCardFile(source.path)).path
}

function readOnlySource(kind: Exclude<AgentDefinition['source']['kind'], 'file'>): string {
  return kind === 'url'
    ? 'The card was loaded from a URL. Save it as a file to edit it.'
    : 'The agent is defined in code. Edit it there.'
}

const MARKDOWN = /\.(?:md|markdown|ai)$/iu

/** Returns the reason why a file cannot be edited over HTTP, or `undefined` if it can. */
function readOnlyFile(
  path: string,
  { isShared, hasSecret }: { readonly isShared: boolean; readonly hasSecret: boolean },
): string | undefined {
  if (!MARKDOWN.test(path)) return 'The card is not a Markdown file. Edit it with an editor for its format.'
  if (isShared) return 'The file defines several agents. Edit the file itself.'
  return hasSecret
    ? 'The file contains the value of a secret. Use a variable such as `${NAME}` in its place.'
    : undefined
}
