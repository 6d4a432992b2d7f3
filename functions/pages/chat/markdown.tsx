import { lexer, type MarkedToken, type Token } from 'marked';
import { createElement, type ReactNode } from 'react';

/** Renders Markdown. Raw HTML is shown as text; images are left out, because their addresses could leak the conversation. */
export const Markdown = ({ text }: { text: string }): ReactNode => renderAll(lexer(text));

// biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
const renderAll = (tokens: Token[] = []) => tokens.map((token, index) => <Part key={index} token={token} />);

const Part = ({ token: given }: { token: Token }): ReactNode => {
  // No extension adds tokens of its own.
  const token = given as MarkedToken;
  switch (token.type) {
    case 'paragraph':
      return <p>{renderAll(token.tokens)}</p>;
    case 'heading':
      return createElement(`h${token.depth}`, undefined, renderAll(token.tokens));
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return createElement(token.type, undefined, renderAll(token.tokens));
    case 'list': {
      const items = token.items.map(({ tokens }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are only ever added at the end
        <li key={index}>{renderAll(tokens)}</li>
      ));
      return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard
        <section className="scrolled" tabIndex={0} aria-label="Table">
          <table>
            <thead>
              <Row cells={token.header} />
            </thead>
            <tbody>
              {token.rows.map((cells, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows are only ever added at the end
                <Row key={index} cells={cells} />
              ))}
            </tbody>
          </table>
        </section>
      );
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return /^(https?:|mailto:|\/|#)/i.test(token.href) ? (
        <a href={token.href} target="_blank" rel="noopener noreferrer">
          {renderAll(token.tokens)}
        </a>
      ) : (
        renderAll(token.tokens)
      );
    case 'text':
      return token.tokens ? renderAll(token.tokens) : decode(token.text);
    case 'escape':
    case 'html':
      return token.text;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'br':
    case 'hr':
      return createElement(token.type);
    default:
      return null;
  }
};

type Cell = { header: boolean; tokens: Token[] };

const Row = ({ cells }: { cells: Cell[] }) => (
  <tr>
    {cells.map(({ header, tokens }, index) => createElement(header ? 'th' : 'td', { key: index }, renderAll(tokens)))}
  </tr>
);

const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00a0' };

/** Replaces the character references that models write. */
const decode = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => characters[name] ?? '');
