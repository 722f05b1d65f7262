export { fillPromptTemplate, type FillMode } from './fill-prompt-template.ts'
export { parsePromptTemplate, type PromptTemplate, type TemplatePart } from './parse-prompt-template.ts'
export type { PromptSubject } from './placeholder-value.ts'
export { templateProblems, type TemplateProblem } from './template-problems.ts'
