import { contentText, failureText, type CallView, type TimelineRun } from '@troupe/timeline'
import type { TimelineNode, WaterfallTree } from './timeline-node.ts'

/** Characters of each run and call that are searched, so that huge results do not block the page. */
const MAX_SEARCHED = 50_000

const texts = new WeakMap<TimelineRun | CallView, string>()

/**
 * Returns the keys of the rows that contain the text, in order: in names, inputs, arguments, results, errors
 * and answers. Upper and lower case are the same. None for an empty text.
 */
export function searchRows({ nodes }: WaterfallTree, query: string): readonly string[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return []
  return [...nodes.values()].flatMap(({ node }) => (searchedText(node).includes(wanted) ? [node.key] : []))
}

function searchedText(node: TimelineNode): string {
  // The members of a group are found themselves.
  if (node.kind === 'group') return ''
  const source = node.kind === 'run' ? node.run : node.call
  const known = texts.get(source)
  if (known !== undefined) return known
  const text = (node.kind === 'run' ? runText(node.run) : callText(node.call)).toLowerCase()
  texts.set(source, text)
  return text
}

function runText({ instance, input, text, error }: TimelineRun): string {
  return [instance, cut(input), cut(text), error === undefined ? '' : failureText(error)].join('\n')
}

function callText({ toolName, childInstance = '', args, content = [], error }: CallView): string {
  return [
    childInstance === '' ? toolName : childInstance,
    cut(JSON.stringify(args)),
    cut(contentText(content)),
    error === undefined ? '' : failureText(error),
  ].join('\n')
}

function cut(text: string): string {
  return text.slice(0, MAX_SEARCHED)
}
