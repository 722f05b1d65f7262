import type { EarlierMessage, JsonObject } from '@troupe/schema'
import type { EvalCheck } from './eval-check.ts'
import type { ToolStub } from './tool-stub.ts'

/** A checked file of cases. */
export interface EvalFile {
  /** Absolute path. */
  readonly path: string
  /** Absolute path of its folder, which contains every file that it names. */
  readonly folder: string
  /** Name of an agent whose card is in the folder, or the path of a card or folder. */
  readonly agent: string
  readonly cases: readonly EvalCase[]
  readonly calibration: readonly JudgeLabels[]
}

/** One input of an agent, and what is expected of its run. */
export interface EvalCase {
  /** Unique among all cases of an evaluation. */
  readonly id: string
  readonly description?: string
  readonly input: string | JsonObject
  /** Messages of the conversation before the input. */
  readonly earlier: readonly EarlierMessage[]
  /** Paths of files that are sent with the input, relative to the folder of the case file. */
  readonly files: readonly string[]
  /** Answers of tools by canonical name. The tools are not called. */
  readonly stubs: ReadonlyMap<string, readonly ToolStub[]>
  readonly checks: readonly EvalCheck[]
  readonly repeat: number
  /** Time limit of one run in ms. Default: that of the card. */
  readonly timeout?: number
  /** Limit on the cost of one run in USD. Default: that of the card. */
  readonly budget?: number
}

/** Outputs that a person has judged, to calibrate a judge. */
export interface JudgeLabels {
  /** The judge, as in its checks. */
  readonly agent: string
  readonly rubric: string
  readonly labels: readonly JudgeLabel[]
}

/** One output with the verdict of a person. */
export interface JudgeLabel {
  readonly input?: string
  readonly output: string
  readonly verdict: 'yes' | 'no'
}
