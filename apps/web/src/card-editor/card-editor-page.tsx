import type { Agent, AgentProblem, CardSource } from '@troupe/client'
import { Save, Undo2 } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState, type ReactElement } from 'react'
import { cardQuery, MODELS } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { goTo, hrefOf } from '../route/route.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { FailureNotice, Notice, TickedText } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Section } from '../ui/section.tsx'
import { cardOptions, type TeamNames } from './card-completion.ts'
import { draftOf, isSaved, keepDraft, type CardDraft } from './card-drafts.ts'
import { cardSchemaQuery } from './card-queries.ts'
import { CardRevisions } from './card-revisions.tsx'
import { CardTrial } from './card-trial.tsx'
import { CodeEditor, type CodeEditorHandle } from './code-editor.tsx'
import { yamlCursorAt } from './front-matter.ts'
import { SaveDialog } from './save-dialog.tsx'
import { useCardCheck } from './use-card-check.ts'

/** Loads the card of an agent and edits its text. */
export function CardEditorPage({
  agent,
  agents,
}: {
  readonly agent: Agent
  readonly agents: readonly Agent[]
}): ReactElement {
  const { value: card, failure } = useRequest(cardQuery(agent.name))
  if (card !== undefined) return <CardEditor card={card} agent={agent} agents={agents} />
  return (
    <>
      <PageHead
        title="Edit card"
        trail={<a href={hrefOf({ page: 'agent', agent: agent.name })}>{agent.name}</a>}
      />
      {failure === undefined ? null : <FailureNotice failure={failure} className="m-6" />}
    </>
  )
}

/**
 * Edits the text of a card. The server checks it after each change, and the text can be tried in a run before it is
 * saved.
 */
function CardEditor({
  card,
  agent,
  agents,
}: {
  readonly card: CardSource
  readonly agent: Agent
  readonly agents: readonly Agent[]
}): ReactElement {
  const { readOnly } = card
  const isEditable = readOnly === undefined && card.version !== undefined
  const [draft, setDraft] = useState<CardDraft>(() => draftOf(card))
  const [isSaving, setSaving] = useState(false)
  const editor = useRef<CodeEditorHandle>(null)
  const isChanged = !isSaved(draft)
  const check = useCardCheck(agent.name, isEditable ? draft.text : undefined)
  const complete = useCompletion(agent, agents, card.format)
  const change = useCallback(
    (text: string) =>
      setDraft((before) => {
        const next = { ...before, text }
        keepDraft(agent.name, next)
        return next
      }),
    [agent.name],
  )
  const replaceText = (text: string): void => {
    editor.current?.setText(text)
    change(text)
  }
  useLeaveWarning(isChanged)
  return (
    <>
      <PageHead
        title="Edit card"
        trail={<a href={hrefOf({ page: 'agent', agent: agent.name })}>{agent.name}</a>}
      >
        {isChanged ? (
          <Button tone="quiet" onClick={() => replaceText(draft.saved.text)}>
            <Undo2 aria-hidden="true" className="size-3.5" /> Revert
          </Button>
        ) : (
          <a href={hrefOf({ page: 'agent', agent: agent.name })} className={buttonClasses('quiet')}>
            Close
          </a>
        )}
        <Button tone="solid" disabled={!isEditable || !isChanged} onClick={() => setSaving(true)}>
          <Save aria-hidden="true" className="size-3.5" /> Save…
        </Button>
      </PageHead>
      <div className="grid gap-x-8 gap-y-6 p-4 sm:p-6 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-3">
          {readOnly === undefined ? null : <Notice tone="warn">{readOnly}</Notice>}
          <p className="truncate font-mono text-tiny text-muted" title={card.file}>
            {card.file}
          </p>
          <CodeEditor
            ref={editor}
            initialText={draft.text}
            isReadOnly={!isEditable}
            problems={check.problems.filter(({ file }) => file === card.file)}
            onChange={change}
            onSave={() => isEditable && isChanged && setSaving(true)}
            complete={complete}
          />
          {isEditable ? (
            <ProblemList
              {...check}
              file={card.file}
              onPick={({ line = 1, column = 1 }) => editor.current?.goTo(line, column)}
            />
          ) : null}
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          {isEditable ? <CardTrial agent={agent} text={draft.text} /> : null}
          {card.text === undefined ? null : (
            <CardRevisions
              agent={agent.name}
              version={draft.saved.version}
              text={draft.text}
              onRestore={isEditable ? replaceText : undefined}
            />
          )}
        </div>
      </div>
      {isSaving ? (
        <SaveDialog
          agent={agent.name}
          draft={draft}
          hasErrors={check.problems.some(({ severity }) => severity === 'error')}
          onClose={() => setSaving(false)}
          onReload={(saved) => setDraft((before) => ({ ...before, saved }))}
          onSaved={(saved) => {
            const { text = '', version = '' } = saved
            const next = { text, saved: { text, version } }
            keepDraft(agent.name, next)
            setDraft(next)
            setSaving(false)
            if (saved.agent !== agent.name) {
              goTo({ page: 'agent', agent: saved.agent })
              // The list of agents has the old name.
              location.reload()
            }
          }}
        />
      ) : null}
    </>
  )
}

/** Returns the function that finds what can be inserted at an offset of the text. */
function useCompletion(
  agent: Agent,
  agents: readonly Agent[],
  format: string | undefined,
): Parameters<typeof CodeEditor>[0]['complete'] {
  const { value: schema } = useRequest(format === 'troupe' ? cardSchemaQuery(agent.name) : undefined)
  const { value: models } = useRequest(MODELS)
  const names = useMemo(
    (): TeamNames => ({
      models: [
        ...new Set([...(models?.models.map(({ id }) => id) ?? []), ...agents.flatMap((one) => one.models)]),
      ],
      agents: agents.map(({ name }) => name).filter((name) => name !== agent.name),
      tools: [...new Set(agent.tools.map(({ name }) => name))],
    }),
    [agent, agents, models],
  )
  return useCallback(
    (text, offset) => {
      const cursor = schema === undefined ? undefined : yamlCursorAt(text, offset)
      if (schema === undefined || cursor === undefined) return undefined
      return { from: cursor.from, options: cardOptions(cursor, { schema, names }) }
    },
    [schema, names],
  )
}

/** Lists the problems of the text. A problem in the card is a button that puts the cursor there. */
function ProblemList({
  problems,
  isChecking,
  failure,
  file,
  onPick,
}: ReturnType<typeof useCardCheck> & {
  readonly file: string
  readonly onPick: (problem: AgentProblem) => void
}): ReactElement {
  if (failure !== undefined) return <FailureNotice failure={failure} />
  const state = isChecking ? 'Checking …' : problemsText(problems)
  return (
    <Section title="Problems">
      <p role="status" className="text-small text-muted">
        {state}
      </p>
      <ul className="flex flex-col gap-1">
        {problems.slice(0, MAX_PROBLEMS).map((problem, index) => (
          <li key={index}>
            <ProblemRow problem={problem} isHere={problem.file === file} onPick={() => onPick(problem)} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

const MAX_PROBLEMS = 50

function problemsText(problems: readonly AgentProblem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const warnings = problems.length - errors
  const parts = [
    errors === 0 ? '' : `${errors} ${errors === 1 ? 'error' : 'errors'}`,
    warnings === 0 ? '' : `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'No problems' : parts.join(', ')
}

function ProblemRow({
  problem: { severity, message, fix, line, column, file },
  isHere,
  onPick,
}: {
  readonly problem: AgentProblem
  /** True if the problem is in the card itself, not in one that calls it. */
  readonly isHere: boolean
  readonly onPick: () => void
}): ReactElement {
  const place = [isHere ? undefined : file?.split(/[\\/]/u).at(-1), line, column].filter(
    (part) => part !== undefined,
  )
  const content = (
    <>
      <span className="w-14 shrink-0 pt-px font-mono text-tiny text-muted tabular">{place.join(':')}</span>
      <span className="min-w-0">
        <span className={severity === 'error' ? 'text-bad' : 'text-warn'}>
          <span className="sr-only">{severity}: </span>
          <TickedText text={message} />
        </span>
        {fix === undefined ? null : (
          <span className="block text-tiny text-muted">
            <TickedText text={fix} />
          </span>
        )}
      </span>
    </>
  )
  const classes = 'flex min-h-8 w-full gap-2 rounded-md px-2 py-1 text-left text-small break-words'
  if (!isHere) return <div className={classes}>{content}</div>
  return (
    <button type="button" onClick={onPick} className={`${classes} hover:bg-raised pointer-coarse:min-h-11`}>
      {content}
    </button>
  )
}

/** Asks the person before the browser leaves the page with unsaved changes. */
function useLeaveWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isChanged])
}
