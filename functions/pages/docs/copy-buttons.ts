/** Adds a button to every block of code that copies its text. */
export const addCopyButtons = () => {
  for (const block of document.querySelectorAll('main .code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy quiet';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      button.textContent = await copy(block.querySelector('code')?.textContent ?? '');
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    block.append(button);
  }
};

const copy = async (text: string): Promise<string> => {
  try {
    await navigator.clipboard.writeText(text.trimEnd());
    return 'Copied';
  } catch {
    return 'Not allowed';
  }
};
