import type { PDFPageProxy } from 'pdfjs-dist';

/** An element of a page of an XFA form, which the library lays out as HTML. */
type XfaElement = {
  name: string;
  value?: string | null;
  attributes?: {
    class?: string[];
    type?: string;
    value?: string;
    textContent?: string;
    checked?: boolean;
    selected?: boolean;
  };
  children?: (XfaElement | null)[];
};

/** Returns the texts of a page of an XFA form in the order of the form. A field has its label and its value on one line. */
export const readXfa = async (page: PDFPageProxy): Promise<string[]> => {
  const collect = (element: XfaElement): string[] => {
    const { class: classes = [] } = element.attributes ?? {};
    if (classes.includes('xfaField') || classes.includes('xfaDraw')) return [joinTexts(element)];
    return (element.children ?? []).flatMap((child) => (child ? collect(child) : []));
  };
  return collect((await page.getXfa()) as XfaElement).filter(Boolean);
};

const joinTexts = (element: XfaElement): string => listTexts(element).join(' ').replace(/\s+/g, ' ').trim();

const listTexts = ({ name, value, attributes = {}, children = [] }: XfaElement): string[] => {
  const { type, checked, selected, textContent } = attributes;
  if (name === 'option' && !selected) return [];
  if (type === 'checkbox' || type === 'radio') return checked ? ['☑'] : [];
  const own = name === 'input' ? attributes.value : name === 'textarea' ? textContent : value;
  return [own ?? '', ...children.flatMap((child) => (child ? listTexts(child) : []))];
};
