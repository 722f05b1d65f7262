import * as z from 'zod'

const id = z.string().regex(/^[ABCD]\d{1,3}$/u)
const ruling = z.string().regex(/^R\d{1,2}$/u)

/** The status of a requirement. `implemented` means that at least one test proves it. */
export const STATUSES = ['implemented', 'planned', 'waived'] as const

/** See {@link STATUSES}. */
export type Status = (typeof STATUSES)[number]

/** One promise of the design documents. */
export interface Requirement {
  readonly id: string
  /** The part of its document. */
  readonly section: string
  readonly wording: string
  /** The short name of its document. */
  readonly source: string
  readonly tags?: readonly Tag[] | undefined
  /** The rulings that decide its meaning. */
  readonly rulings?: readonly string[] | undefined
  readonly status: Status
  /** The planned milestone. */
  readonly milestone?: string | undefined
  /** The reason for a waiver. */
  readonly reason?: string | undefined
}

/** Properties that the document of a requirement gives beside its wording. */
export const TAGS = [
  'future',
  'open question',
  'alternative',
  'non-goal',
  'phase',
  'example',
  'manual',
] as const

/** See {@link TAGS}. */
export type Tag = (typeof TAGS)[number]

/** A decision where documents contradict each other or leave a question open. */
export interface Ruling {
  readonly id: string
  readonly title: string
  readonly text: string
}

/** The documents, by the letter of their ids. */
export const SOURCES: ReadonlyMap<string, string> = new Map([
  ['A', 'agents-as-tools'],
  ['B', 'hooks-and-cards'],
  ['C', 'in-memory-multi-agent'],
  ['D', 'meta-mcp-tool-editor'],
])

/** A manifest file. */
export const requirementsSchema: z.ZodType<readonly Requirement[]> = z.array(
  z.strictObject({
    id,
    section: z.string().min(1),
    wording: z.string().min(1),
    source: z.enum([...SOURCES.values()]),
    tags: z.array(z.enum(TAGS)).optional(),
    rulings: z.array(ruling).optional(),
    status: z.enum(STATUSES),
    milestone: z.string().min(1).optional(),
    reason: z.string().min(1).optional(),
  }),
)

/** The file of rulings. */
export const rulingsSchema: z.ZodType<readonly Ruling[]> = z.array(
  z.strictObject({ id: ruling, title: z.string().min(1), text: z.string().min(1) }),
)
