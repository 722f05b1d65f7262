import type { ProblemDraft } from '../card/problem.ts'
import type { OtherFile } from '../formats/card-format.ts'
import { hasAgentEnding } from './card-syntax.ts'
import type { CardText } from './card-text.ts'

const AS_CARD = `create a card with \`troupe new NAME\` and put the text below its front matter.`
/**
 * Returns why a file is not an agent card and how to solve it; `undefined` if it may be a card. `isByPath` is
 * true if a product documents the path for agents, so that the keys need no check.
 */
export function detectOtherFile(
  card: CardText,
  {
    path,
    isByPath,
    acceptsProse = false,
    otherFiles = [],
  }: {
    readonly path: string
    readonly isByPath: boolean
    /** True if such a file needs no front matter. */
    readonly acceptsProse?: boolean | undefined
    readonly otherFiles?: readonly OtherFile[] | undefined
  },
): ProblemDraft | undefined {
  const file = path.replaceAll('\\', '/')
  const other = otherFiles.find(
    ({ path: pattern, isLike }) =>
      pattern?.test(file) === true || (!isByPath && isLike?.(card.fields, card) === true),
  )
  if (other !== undefined)
    return { code: 'card_syntax', message: `This is not an agent card: it is ${other.what}.`, fix: other.fix }
  if (isByPath && acceptsProse) return undefined
  if (card.isProse !== true || card.body?.trim() === '' || hasAgentEnding(path)) return undefined
  return {
    code: 'card_syntax',
    message: 'This is not an agent card: the file has no front matter.',
    fix: `To turn it into one, start it with a line \`---\`, lines such as \`description: …\` and \`model: …\`, and another line \`---\`. Otherwise, ${AS_CARD}`,
  }
}
