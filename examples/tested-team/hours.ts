const HOURS: ReadonlyMap<string, string> = new Map([
  ['saturday', 'ten to two'],
  ['sunday', 'closed'],
])

/** Returns the opening hours of a day of the week. */
export function openingHours({ day }: { day: string }): string {
  return HOURS.get(day) ?? 'nine to five'
}
