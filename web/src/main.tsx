import { render } from 'preact';
import './styles/base.css';
import './styles/controls.css';
import './styles/live.css';
import './styles/views.css';
import './styles/search.css';
import './styles/notices.css';
import './styles/picker.css';
import './styles/sign-in.css';
import './styles/table.css';
import './styles/chart.css';
import './styles/panel.css';
import './styles/trend.css';
import './styles/edits.css';
import './styles/storage.css';
import './styles/alerts.css';
import './styles/users.css';
import './styles/add.css';
import './styles/help.css';
import './styles/saved.css';
import './styles/forced-colors.css';
import './styles/print.css';
import { App } from './app.tsx';
import { applyStoredTheme } from './parts/theme.ts';

applyStoredTheme();

const page = document.querySelector('#page');
if (page) render(<App />, page);
