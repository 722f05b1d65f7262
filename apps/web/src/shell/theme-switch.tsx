import { Monitor, Moon, Sun } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { IconButton } from '../ui/icon-button.tsx'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const
const KEY = 'troupe.theme'

/** Switches between the theme of the system, light and dark. Stored in this browser. */
export function ThemeSwitch(): ReactElement {
  const [theme, setTheme] = useState<Theme>(readTheme)
  const Icon = ICONS[theme]
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <IconButton
      label={`Theme: ${theme}. Switch to ${next}`}
      onClick={() => {
        applyTheme(next)
        setTheme(next)
      }}
    >
      <Icon className="size-4" />
    </IconButton>
  )
}

function readTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset['theme']
    return
  }
  localStorage.setItem(KEY, theme)
  document.documentElement.dataset['theme'] = theme
}
