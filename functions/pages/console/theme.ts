export const themes = [
  { value: '', label: 'As the system has it' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Returns the theme that the user has chosen in this browser. Without one, or without storage, it is that of the system. */
export const loadTheme = (): string => {
  try {
    return localStorage.getItem('theme') ?? '';
  } catch {
    return '';
  }
};

export const showTheme = (theme: string): void => {
  document.documentElement.style.colorScheme = theme;
};

export const saveTheme = (theme: string): void => {
  showTheme(theme);
  try {
    localStorage.setItem('theme', theme);
  } catch {}
};
