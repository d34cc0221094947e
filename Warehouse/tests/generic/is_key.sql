{# The columns identify a row, and none of them is null. #}
{% test is_key(model, columns) %}
select {{ columns | map('tojson') | join(', ') }}, count(*) as found
from {{ model }}
group by {{ columns | map('tojson') | join(', ') }}
having count(*) > 1{% for column in columns %} or count({{ column | tojson }}) = 0{% endfor %}
{% endtest %}
