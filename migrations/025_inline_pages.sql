alter table open_segment_pages alter column bytes set storage plain;
alter table sealed_segment_pages alter column bytes set storage plain;
