/** The script of the page of a run: filters the timeline by text and by failures, and opens all steps. */
export const RUN_PAGE_SCRIPT = `
'use strict'
const search = document.querySelector('#search')
const failedOnly = document.querySelector('#failed-only')
const count = document.querySelector('#count')
const toggle = document.querySelector('#open-all')
const steps = [...document.querySelectorAll('.timeline > li')].map((element) => ({
  element,
  text: element.textContent.toLowerCase(),
}))

function update() {
  const words = search.value.trim().toLowerCase()
  let shown = 0
  for (const { element, text } of steps) {
    element.hidden = (failedOnly.checked && !element.hasAttribute('data-failed')) || !text.includes(words)
    if (!element.hidden) shown += 1
  }
  count.textContent = shown + ' of ' + steps.length + ' steps'
}

document.querySelector('#controls').hidden = false
search.addEventListener('input', update)
failedOnly.addEventListener('change', update)
toggle.addEventListener('click', () => {
  const isOpen = toggle.getAttribute('aria-pressed') !== 'true'
  toggle.setAttribute('aria-pressed', String(isOpen))
  for (const { element } of steps) {
    const details = element.querySelector('details')
    if (details !== null && !element.hidden) details.open = isOpen
  }
})
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === search) return
  event.preventDefault()
  search.focus()
})
update()
`
