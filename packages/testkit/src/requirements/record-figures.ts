/**
 * Records how much a test has tried, such as `{ 'processes killed': 200 }`, for the trust page. `task` is that of the
 * context of the test. The figures count only if the test passes.
 */
export function recordFigures(
  task: { readonly meta: object },
  figures: Readonly<Record<string, number>>,
): void {
  Object.assign(task.meta, { figures })
}
