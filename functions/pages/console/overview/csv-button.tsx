import type { FigureSearch } from '../components/figures.tsx';
import { ChangeButton } from '../components/form.tsx';
import { saveFile } from '../components/save-file.ts';
import { addDays } from '../formats.ts';
import { useChange } from '../service.tsx';

/** Downloads figures as CSV. */
export const CsvButton = ({ search }: { search: FigureSearch & { by: string } }) => {
  const change = useChange(
    async (api) => {
      const result = await api.calls.getFigures({ ...search, format: 'csv' }, { parse: (text) => text });
      if (result.data)
        saveFile(result.data as unknown as string, `calls-${search.from}-to-${addDays(search.to, -1)}.csv`);
      return result;
    },
    { changes: [], done: () => 'The figures are downloaded as CSV.' },
  );
  return (
    <div className="buttons">
      <ChangeButton change={change} className="quiet">
        Download as CSV
      </ChangeButton>
    </div>
  );
};
