import { isToolUIPart, type UIMessage } from 'ai';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { ToolCall } from './tool-call.tsx';

type Props = {
  message: UIMessage;
  isGrowing: boolean;
  /** Whether what it asks can still be answered, and whether it can be answered now. */
  isLast: boolean;
  canDecide: boolean;
  onDecide(approvalId: string, approved: boolean): void;
};

/** A message with its parts in their order: text, and what became of each tool call. */
export const Message = ({ message, isGrowing, isLast, canDecide, onDecide }: Props) => (
  <article className={`message ${message.role}`} data-growing={isGrowing || undefined}>
    <h2 className="hidden">{message.role === 'user' ? 'You' : 'The assistant'}</h2>
    {message.parts.map((part, index) => {
      if (part.type === 'text' && part.text !== '') {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
        return <Text key={index} text={part.text} isMarkdown={message.role === 'assistant'} />;
      }
      if (!isToolUIPart(part)) return null;
      return <ToolCall key={part.toolCallId} call={part} isLast={isLast} canDecide={canDecide} onDecide={onDecide} />;
    })}
  </article>
);

/** The assistant writes Markdown, of which raw HTML is never shown as such. Pictures could carry what was said here to anybody. */
const Text = ({ text, isMarkdown }: { text: string; isMarkdown: boolean }) =>
  isMarkdown ? (
    <div className="text" dir="auto">
      <Markdown
        remarkPlugins={[remarkGfm]}
        disallowedElements={['img']}
        components={{
          a: ({ node: _, children, ...link }) => (
            <a {...link} target="_blank" rel="noopener noreferrer">
              {children}
            </a>
          ),
          table: ({ node: _, ...table }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <section className="wide" tabIndex={0} aria-label="Table">
              <table {...table} />
            </section>
          ),
        }}
      >
        {text}
      </Markdown>
    </div>
  ) : (
    <p className="text" dir="auto">
      {text}
    </p>
  );
