/** The script of the report: filters the cases by text and by status. */
export const PAGE_SCRIPT = `
'use strict'
const search = document.querySelector('#search')
const failedOnly = document.querySelector('#failed-only')
const count = document.querySelector('#count')
const cases = [...document.querySelectorAll('.case')].map((element) => ({
  element,
  text: element.textContent.toLowerCase(),
  repeats: [...element.querySelectorAll('.repeat')],
}))

function update() {
  const words = search.value.trim().toLowerCase()
  let shown = 0
  for (const { element, text, repeats } of cases) {
    for (const repeat of repeats)
      repeat.hidden = failedOnly.checked && repeat.getAttribute('data-status') === 'passed'
    const hasNone = failedOnly.checked && repeats.every((repeat) => repeat.hidden)
    element.hidden = hasNone || !text.includes(words)
    if (!element.hidden) shown += 1
  }
  count.textContent = shown + ' of ' + cases.length + ' cases'
}

document.querySelector('#controls').hidden = false
search.addEventListener('input', update)
failedOnly.addEventListener('change', update)
update()
`
