import { formatCost, formatDuration } from '@troupe/timeline'
import { costText, tokensText } from '../ui/format.ts'
import { summarizeGroup, type GroupSummary } from './sibling-groups.ts'
import type { TimelineNode } from './timeline-node.ts'

/** The texts of a row. */
export interface RowText {
  /** The instance, the tool, or the name of a group with its number. */
  readonly label: string
  /** The input, or the numbers of a group. */
  readonly detail: string
  readonly tokens: string
  readonly cost: string
}

const texts = new WeakMap<TimelineNode, RowText>()

/** Returns the texts of a row. */
export function rowText(node: TimelineNode): RowText {
  const known = texts.get(node)
  if (known !== undefined) return known
  const text = createRowText(node)
  texts.set(node, text)
  return text
}

function createRowText(node: TimelineNode): RowText {
  switch (node.kind) {
    case 'run':
      return {
        label: node.run.instance,
        detail: node.input,
        tokens: tokensText(node.usage),
        cost: costText(node.usage),
      }
    case 'call': {
      const { attempts, position, childInstance } = node.call
      return {
        label: childInstance ?? node.name,
        detail: node.input,
        tokens: position === undefined ? (attempts > 1 ? `${attempts} attempts` : '') : `place ${position}`,
        cost: '',
      }
    }
    default:
      return {
        label: `${node.name} ×${node.children.length}`,
        detail: summaryText(summarizeGroup(node)),
        tokens: node.usage.modelCalls === 0 ? '' : tokensText(node.usage),
        cost: node.usage.modelCalls === 0 ? '' : costText(node.usage),
      }
  }
}

/** Formats the numbers of a group, such as `38 ✓ 1 ✗ 1 at work · median 4.7 s`, with the cost if it is known. */
export function summaryText(
  { completed, failed, stopped, atWork, medianMs }: GroupSummary,
  micros?: number,
): string {
  const states = [
    completed > 0 ? `${completed} ✓` : '',
    failed > 0 ? `${failed} ✗` : '',
    stopped > 0 ? `${stopped} stopped` : '',
    atWork > 0 ? `${atWork} at work` : '',
  ].filter((text) => text !== '')
  return [
    states.join(' '),
    medianMs === undefined ? '' : `median ${formatDuration(medianMs)}`,
    micros === undefined || micros === 0 ? '' : formatCost(micros / 1_000_000),
  ]
    .filter((text) => text !== '')
    .join(' · ')
}
