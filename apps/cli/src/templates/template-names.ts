import type { TeamTemplate } from './team-template.ts'

/** Job of a template, and a function that loads it. */
interface TemplateEntry {
  /** Description for the help and the list of choices. */
  readonly summary: string
  load(): Promise<TeamTemplate>
}

/** Templates by name. The first is the default. */
export const TEMPLATES: Readonly<Record<string, TemplateEntry>> = {
  review: {
    summary: 'three agents review a diff, and a lead summarises',
    load: async () => (await import('./review.ts')).REVIEW,
  },
  research: {
    summary: 'answers from your files and the web, with citations',
    load: async () => (await import('./research.ts')).RESEARCH,
  },
  support: {
    summary: 'triage and specialists; a refund needs approval',
    load: async () => (await import('./support.ts')).SUPPORT,
  },
  extract: {
    summary: 'reads a file and answers in JSON that matches a schema',
    load: async () => (await import('./extract.ts')).EXTRACT,
  },
  'meta-mcp': {
    summary: 'a team as an MCP server with typed tools',
    load: async () => (await import('./meta-mcp.ts')).META_MCP,
  },
  slack: {
    summary: 'a support team for a Slack channel',
    load: async () => (await import('./slack.ts')).SLACK,
  },
}

/** Names of the templates in the order of the help. */
export const TEMPLATE_NAMES: readonly string[] = Object.keys(TEMPLATES)

/** Template of `troupe init` without `--template`. */
export const DEFAULT_TEMPLATE = 'review'
